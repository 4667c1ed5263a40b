import { writable } from '../../server/kernel/body/input.ts'
import type { KindsBody } from '../../server/kernel/body/kinds.ts'
import type { Operation } from '../../server/kernel/declare/operation.ts'
import type { Relationship } from '../../server/kernel/declare/relationship.ts'
import type { Resource } from '../../server/kernel/declare/resource.ts'
import { flatten, valueIn } from '../../server/kernel/shape/envelope.ts'
import type { Work } from '../../server/kernel/work/context.ts'
import type { Client } from '../support/client.ts'
import { mostOf } from '../support/limits.ts'
import type { ModuleSamples, Sample, SharedSamples } from '../support/module-samples.ts'
import { sampleValue, sampleValuesOf } from '../support/sample-values.ts'
import { bodyWith, createFields, placeOf, type Specimen, specimensOf } from '../support/specimens.ts'
import { appAndWorkshop } from '../workshop/index.ts'
import { hierarchies } from './assortment/hierarchy-samples.ts'
import { inventorySamples } from './assortment/inventory-samples.ts'
import { productSamples } from './assortment/product-samples.ts'
import { variationSamples } from './assortment/variation-samples.ts'
import { bulkChangeSamples } from './bulk-changes/bulk-change-samples.ts'
import { cartItemSamples } from './carts/cart-item-samples.ts'
import { cartSamples } from './carts/cart-samples.ts'
import { extensions } from './fields/custom-api-samples.ts'
import { flows } from './fields/flow-samples.ts'
import { metricsSamples } from './orders/metrics-samples.ts'
import { orderExportSamples } from './orders/order-export-samples.ts'
import { orderSamples } from './orders/order-samples.ts'
import { cartPaymentSamples } from './payments/cart-payment-samples.ts'
import { gatewaySamples } from './payments/gateway-samples.ts'
import { transactionSamples } from './payments/transaction-samples.ts'
import { accounts } from './people/account-samples.ts'
import { colleagues } from './people/colleague-samples.ts'
import { customers } from './people/customer-samples.ts'
import { identity } from './people/identity-samples.ts'
import { passwords } from './people/password-samples.ts'
import { permissions } from './people/permission-samples.ts'
import { personalData } from './personal-data/personal-data-samples.ts'
import { pricebookSamples } from './prices/pricebook-samples.ts'
import { promotionCodeSamples } from './promotions/code-samples.ts'
import { promotionSamples } from './promotions/promotion-samples.ts'
import { rulePromotionSamples } from './promotions/rule-promotion-samples.ts'
import { catalogs } from './shop/catalog-samples.ts'
import { storefrontSamples } from './shop/storefront-samples.ts'
import { files } from './store/file-samples.ts'
import { pimJobs } from './store/job-samples.ts'
import { settings } from './store/settings-samples.ts'
import { deliverySamples } from './telling/delivery-samples.ts'
import { integrationSamples } from './telling/integration-samples.ts'
import { workshopSamples } from './workshop-samples.ts'

/** The samples of each module. Nothing registers itself. */
const modules: readonly ModuleSamples[] = [
  bulkChangeSamples,
  settings,
  identity,
  passwords,
  accounts,
  catalogs,
  customers,
  extensions,
  files,
  flows,
  permissions,
  colleagues,
  personalData,
  hierarchies,
  inventorySamples,
  pimJobs,
  pricebookSamples,
  productSamples,
  promotionSamples,
  promotionCodeSamples,
  rulePromotionSamples,
  storefrontSamples,
  variationSamples,
  cartSamples,
  cartItemSamples,
  gatewaySamples,
  transactionSamples,
  cartPaymentSamples,
  orderSamples,
  orderExportSamples,
  metricsSamples,
  integrationSamples,
  deliverySamples,
  workshopSamples,
]

type Lists = 'runTime' | 'needsAllFields' | 'specialCreates' | 'notInUpdates' | 'sameForAllStores'
const listed = <K extends Lists>(part: K) =>
  modules.flatMap((module) => (module[part] ?? []) as NonNullable<ModuleSamples[K]>[number][])
const byName = <K extends Exclude<keyof ModuleSamples, Lists>>(part: K): NonNullable<ModuleSamples[K]> =>
  Object.assign({}, ...modules.map((module) => module[part]))

const [makers, completions] = [byName('makers'), byName('completions')]
const [parameters, paths] = [byName('parameters'), byName('paths')]
const [bodies, queries] = [byName('bodies'), byName('queries')]
const opens = Object.entries(byName('opens'))
const [needsAllFields, notInUpdates] = [listed('needsAllFields'), listed('notInUpdates')]

/** Every operation of the application, and of the workshop of the tests. */
export const operations: readonly Operation[] = appAndWorkshop.modules.flatMap((module) => module.operations)

/** Operations whose address names no object of one store. */
export const sameForAllStores: readonly string[] = listed('sameForAllStores')

/** How a shopper of each kind gets their token. */
export const signIns = byName('signIns')

/** One specimen of every kind of object. */
export const specimens: readonly Specimen[] = specimensOf(operations, {
  runTime: listed('runTime'),
  specialCreates: listed('specialCreates'),
})

export function specimenNamed(name: string): Specimen {
  const specimen = specimens.find((one) => one.name === name)
  if (!specimen) throw new Error(`There is no resource ${name}`)
  return specimen
}

/** Whether the last key in its path may be that of an object that does not exist yet: see `unborn`. */
export function leadsToUnborn({ path }: Pick<Operation, 'path'>): boolean {
  const collection = path.slice(0, path.lastIndexOf('/:'))
  return specimens.some(({ resource }) => resource.unborn && placeOf(resource.path) === placeOf(collection))
}

/** The specimens that have all of these operations. */
export const specimensWith = (...names: readonly (keyof Specimen['operations'])[]): readonly Specimen[] =>
  specimens.filter(({ operations }) => names.every((name) => operations[name]))

type Data = { readonly id: string } & Readonly<Record<string, unknown>>

/** Makes valid objects of any sort, as their declarations say, in the store of its client. */
export class Samples implements SharedSamples {
  readonly #client: Client
  readonly #work: Work | undefined
  readonly #shared = new Map<string, Promise<Sample>>()
  /** Paths of the shared objects, and of no others. */
  readonly #sharedPaths = new Set<string>()

  /** `work` of the same store knows the limits that depend on it. */
  constructor(client: Client, work?: Work) {
    this.#client = client
    this.#work = work
  }

  get work(): Work {
    if (!this.#work) throw new Error('these samples were made without the context of their store')
    return this.#work
  }

  named(name: string): Specimen {
    return specimenNamed(name)
  }

  /** The path with an existing object's id in place of each parameter. */
  async path(pattern: string): Promise<string> {
    for (const [start, open] of opens) if (pattern.startsWith(start)) await open(this.#client, this)
    let path = ''
    for (const segment of pattern.split('/').slice(1)) {
      path += `/${segment.startsWith(':') ? await this.#parameter(pattern, path) : segment}`
    }
    return path
  }

  /** The path of an operation, which may have a sample of its own. */
  async pathOf({ id, path }: Operation): Promise<string> {
    return (await paths[id]?.(this.#client, this)) ?? this.path(path)
  }

  async #parameter(pattern: string, before: string): Promise<string> {
    const depth = before.split('/').length
    const collection = pattern.split('/').slice(0, depth).join('/')
    const specimen = specimens.find(({ resource }) => placeOf(resource.path) === placeOf(collection))
    if (specimen) return (await this.shared(specimen, before)).key
    const segment = before.slice(before.lastIndexOf('/') + 1)
    const other = parameters[segment]
    if (other) return other(this.#client, this)
    // An address of another part of the API that names the object by its list: `/oidc-idp/…/oidc-profiles/:id`.
    const elsewhere = specimens.find(({ resource }) => resource.path.endsWith(`/${segment}`))
    if (elsewhere) return (await this.shared(elsewhere, await this.path(elsewhere.resource.path))).key
    throw new Error(`No sample for the parameter after ${before}: no module's samples have such a parameter`)
  }

  /** One object of the specimen at `collection`, made once. */
  shared(specimen: Specimen, collection: string): Promise<Sample> {
    const key = `${specimen.name} ${collection}`
    const shared = this.#shared.get(key)
    if (shared) return shared
    const sample = this.make(specimen, collection).then((one) => {
      this.#sharedPaths.add(one.path)
      return one
    })
    this.#shared.set(key, sample)
    return sample
  }

  /** A new object; where the specimen has no create, an existing one. */
  async make(specimen: Specimen, at?: string, fields: Record<string, unknown> = {}): Promise<Sample> {
    const collection = at ?? (await this.path(specimen.resource.path))
    const maker = makers[specimen.name]
    if (maker) {
      return sampleFrom(collection, specimen.resource, { data: await maker(this.#client, this, collection) })
    }
    const values = await this.values(specimen, collection)
    const body = bodyWith(specimen, 'create', { ...values, ...fields })
    const { status, body: answer } = await this.#client.post(collection, body)
    if (status < 300) return sampleFrom(collection, specimen.resource, answer)
    throw new Error(
      `POST ${collection} ${JSON.stringify(body)}: ${status} ${JSON.stringify(answer)}. ` +
        'Made-up values are refused: give better ones in `completions` of tests/builders/',
    )
  }

  /**
   * Makes room for `count` objects in the list at `collection`, or for as many as its limit allows, and returns their
   * number. It deletes the oldest objects that are not shared.
   */
  async room({ resource }: Specimen, collection: string, count: number): Promise<number> {
    const most = await mostOf(resource, this.#work)
    if (most === undefined) return count
    const { status, body } = await this.#client.get(`${collection}?page[limit]=100`)
    if (status !== 200) throw new Error(`GET ${collection}: ${status} ${JSON.stringify(body)}`)
    let room = most - body.meta.results.total
    // An id begins with its time of creation.
    const oldestFirst = (body.data as Data[]).toSorted((one, other) => (one.id < other.id ? -1 : 1))
    for (const data of oldestFirst) {
      if (room >= count) break
      const { path } = sampleFrom(collection, resource, { data })
      if (this.#sharedPaths.has(path)) continue
      // Some cannot be deleted.
      if ([200, 204].includes((await this.#client.delete(path)).status)) room += 1
    }
    return Math.min(room, count)
  }

  /** A body that a create at `collection` accepts: the required fields, or (`full`) all that can be made up. */
  async body(specimen: Specimen, collection: string, full?: boolean) {
    return bodyWith(specimen, 'create', await this.values(specimen, collection, full))
  }

  /** The values of such a body by their names, wherever its envelope places them. */
  async values(
    specimen: Specimen,
    collection: string,
    full = needsAllFields.includes(specimen.name),
  ): Promise<Record<string, unknown>> {
    const { type } = specimen.resource
    const values: Record<string, unknown> = { type }
    for (const [name, field] of writable(createFields(specimen))) {
      const { required, refersTo } = field.options
      if (!required && (!full || refersTo === type)) continue
      values[name] = refersTo
        ? await this.#reference(refersTo, specimen.resource, collection)
        : sampleValue(name, field)
    }
    Object.assign(values, await completions[specimen.name]?.(this.#client, this, collection))
    if ((await this.room(specimen, collection, 1)) < 1) throw new Error(`There is no room in ${collection}`)
    return values
  }

  /** An object of another kind, under the same parents as far as it has them. */
  async #reference(type: string, from: { readonly path: string }, collection: string): Promise<string> {
    const specimen = specimens.find(({ name, resource }) => [name, resource.type].includes(type))
    if (!specimen) throw new Error(`${from.path} refers to ${type}, which no resource is`)
    const values = collection.split('/')
    const names = from.path.split('/')
    const filled = specimen.resource.path
      .split('/')
      .map((segment) => (segment.startsWith(':') && values[names.indexOf(segment)]) || segment)
      .join('/')
    return (await this.make(specimen, filled.includes(':') ? await this.path(filled) : filled)).id
  }

  /** Objects of all kinds that the operation takes at `path`, as far as one request may send them. */
  items(operation: Operation, { of, most }: KindsBody, path: string): Promise<object[]> {
    const all = Object.keys(of).slice(0, most)
    return Promise.all(all.map((kind) => this.item(operation, kind, path)))
  }

  /** An object of one kind: the required fields, or (`full`) all that can be made up. */
  async item(
    operation: Operation,
    kind: string,
    path: string,
    full = true,
  ): Promise<Record<string, unknown>> {
    const { by, of } = (operation.of.is === 'action' && operation.of.action.kinds) || {}
    const item: Record<string, unknown> = { [by ?? 'type']: kind }
    for (const [name, field] of writable(of?.[kind]?.fields ?? {})) {
      const { required, refersTo } = field.options
      if (!required && !full) continue
      item[name] = refersTo ? await this.#reference(refersTo, operation, path) : sampleValue(name, field)
    }
    return Object.assign(item, await completions[`${operation.id}.${kind}`]?.(this.#client, this, path))
  }

  /** A body with a link to an object of the relationship's target. */
  async #links({ target, type = target().type, holds, meta }: Relationship): Promise<unknown> {
    const specimen = specimenNamed(target().noun[0])
    const { id } = await this.make(specimen)
    const link = { id, type, ...(meta && { meta: sampleValuesOf(meta) }) }
    return { data: holds === 'one' ? link : [link] }
  }

  /** A valid call of any operation: its path and, where it takes one, its body. */
  async call(operation: Operation): Promise<{ path: string; body: unknown }> {
    const { of } = operation
    if (of.is === 'singleton') {
      const { type, name, fields, path } = of.singleton
      const completed = await completions[name]?.(this.#client, this, path)
      const data = { type, ...sampleValuesOf(fields), ...completed }
      return { path: operation.path, body: of.name === 'update' ? { data } : undefined }
    }
    if (of.is === 'relationship') {
      const body = of.name === 'list' ? undefined : await this.#links(of.relationship)
      return { path: await this.path(operation.path), body }
    }
    const specimen = specimens.find(({ operations }) => Object.values(operations).includes(operation))
    if (!specimen) {
      const { body, data, kinds } = of.is === 'action' ? of.action : {}
      const query = queries[operation.id] ?? ''
      const search = typeof query === 'string' ? query : await query(this.#client, this)
      const address = await this.pathOf(operation)
      const path = address + search
      const ownBody = await bodies[operation.id]?.(this.#client, this, address)
      const fields = body && { type: body.type, ...sampleValuesOf(body.fields) }
      const value = data && sampleValue('data', data)
      const items = kinds && (await this.items(operation, kinds, path))
      const sent = fields ?? value ?? items
      return { path, body: ownBody ?? (sent && { data: sent }) }
    }
    const collection = await this.path(specimen.resource.path)
    if (operation === specimen.operations.list) return { path: collection, body: undefined }
    if (operation === specimen.operations.create) {
      return { path: collection, body: await this.body(specimen, collection, true) }
    }
    const { path, body } = await this.make(specimen, collection)
    if (operation !== specimen.operations.update) return { path, body: undefined }
    return { path, body: this.changes(specimen, body) }
  }

  /** A body that changes values of an object. */
  changes(specimen: Specimen, { data }: { data: Data }): { readonly data: Record<string, unknown> } {
    const { type } = flatten(specimen.resource.envelope, data)
    return bodyWith(specimen, 'update', { type, ...changesOf(specimen) })
  }
}

const changesOf = ({ name: noun, resource }: Specimen): Record<string, unknown> =>
  sampleValuesOf(
    Object.fromEntries(
      Object.entries(resource.fields).filter(
        ([name, { options }]) => !options.immutable && !notInUpdates.includes(`${noun}.${name}`),
      ),
    ),
  )

/** The object in the response of a create. */
export function sampleFrom(
  collection: string,
  { key: keyed, envelope }: Resource,
  body: { data: Data },
): Sample {
  const { id } = body.data
  const key = keyed ? encodeURIComponent(String(valueIn(envelope, body.data, keyed.field))) : id
  return { id, key, collection, path: `${collection}/${key}`, body }
}
