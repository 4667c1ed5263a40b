import type { Operation } from '../../server/kernel/declare/operation.ts'
import type { Resource } from '../../server/kernel/declare/resource.ts'
import { haveOwnType } from '../../server/kernel/shape/envelope.ts'
import { orderOf, ownOrderOf } from '../../server/kernel/shape/model.ts'
import { coverPairs, type Traits } from '../support/cover-pairs.ts'
import { takesAll } from '../support/long.ts'
import type { Specimen } from '../support/specimens.ts'
import { isOwn, type Listing } from './listings.ts'

/**
 * What makes the kernel take another path. Two operations with the same traits run the same code of the kernel, so the
 * usual run tries an expensive law of the kernel only on representatives: they have every trait, and every two traits,
 * that some operation has. The long run tries it on all. Laws about what a module declares or does are for all
 * operations in both.
 */

/** Where the rows of a resource are, and how its objects are found. */
const placeTraits = ({ path, scope, key, unborn, expires, most, addedUnder }: Resource): Traits => ({
  above: String(path.split('/:').length - 1),
  scope: scope ? (scope.of ? 'computed' : 'below') : 'path',
  name: key ? 'key' : 'id',
  birth: unborn ? 'first write' : 'create',
  end: expires ? 'expires' : 'delete',
  most: most ? 'limited' : 'any',
  added: typeof addedUnder === 'string' ? 'one definition' : addedUnder ? 'by parent' : 'none',
})

/** How an object is put together for an answer. */
const shownTraits = ({ envelope, fields, computed, shownAs, shownWith }: Resource): Traits => ({
  fields: envelope.fields,
  type: haveOwnType(fields, envelope) ? 'each its own' : 'one',
  text: shownAs ? 'in another form' : shownWith ? 'with other rows' : 'stored',
  tag: computed ? 'two parts' : 'version',
})

const orderTrait = (resource: Resource): string =>
  ownOrderOf(resource) ? orderOf(resource).replace(/\w+/, 'own') : orderOf(resource)

/** The traits of a list: which rows it has, who counts them, and in which order and portions they are shown. */
export const listTraits = (listing: Listing): Traits => {
  const { resource, runTime } = listing.specimen
  return {
    ...placeTraits(resource),
    ...shownTraits(resource),
    by: isOwn(listing) ? (runTime ? 'request' : 'resource') : 'action',
    total: resource.editions ? 'by edition' : resource.counted === false ? 'counted each time' : 'counters',
    order: orderTrait(resource),
    sort: resource.ignoresSort ? 'ignored' : resource.sort?.length ? 'checked' : 'none',
    length: resource.whole ? 'whole' : 'paged',
    offset: resource.offsetMax ? 'limited' : 'any',
    pageLinks: resource.envelope.pageLinks ?? 'all',
  }
}

/** The traits of a kind of object, and of its writes. */
export const objectTraits = ({ resource, operations, runTime }: Specimen): Traits => ({
  ...placeTraits(resource),
  ...shownTraits(resource),
  times: `${resource.envelope.times} ${resource.envelope.digits}`,
  links: resource.envelope.links,
  unknown: resource.closed ? 'refused' : 'ignored',
  status: String(resource.refusedWith ?? 400),
  untyped: resource.typeOptional ? 'accepted' : 'refused',
  declared: runTime ? 'by a request' : 'once',
  create: wayOf(operations.create),
  update: wayOf(operations.update),
  delete: wayOf(operations.delete),
})

const wayOf = (operation: Operation | undefined): string =>
  operation === undefined ? 'none' : operation.of.is === 'action' ? 'action' : 'resource'

/** The traits of any operation: how its request is read, and how it runs. */
export const operationTraits = (operation: Operation): Traits => {
  const { of, method, access, queuesBy, alsoUnder, transaction } = operation
  return {
    is: of.is === 'action' ? 'action' : `${of.is} ${of.name}`,
    method,
    access,
    runs: transaction ? 'in a transaction' : queuesBy ? 'after others' : 'alone',
    prefix: alsoUnder ? 'two' : 'one',
    ...(of.is === 'relationship' && { holds: of.relationship.holds }),
    ...(of.is === 'resource' && { fields: of.resource.envelope.fields, ...placeTraits(of.resource) }),
    ...(of.is === 'action' && actionTraits(of.action)),
  }
}

type Action = Extract<Operation['of'], { readonly is: 'action' }>['action']

const bodies = ['body', 'data', 'kinds', 'rawBody', 'upload'] as const

const actionTraits = (action: Action): Traits => {
  const { shows, envelope } = { shows: action.shows, envelope: action.body?.envelope }
  return {
    reads: bodies.find((name) => action[name]) ?? 'no body',
    fields: envelope?.fields ?? 'top',
    shows: shows?.page ? 'page' : shows?.file ? 'file' : shows?.resource ? 'object' : 'other',
    does: action.callsOut ? 'calls out' : action.signsIn ? 'signs in' : action.reads ? 'reads' : 'any',
  }
}

/** Those of `all` that stand for the others: in the long run all. */
export const representativesOf = <T>(all: readonly T[], traitsOf: (one: T) => Traits): readonly T[] =>
  takesAll ? all : coverPairs(all, traitsOf)
