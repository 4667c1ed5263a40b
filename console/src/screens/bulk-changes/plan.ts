import type { Body, FieldFacts } from '../../api/document.ts'
import { type Item, isItem, valueAt } from '../../api/objects.ts'
import { faultOf } from '../../fields/values.ts'
import { bodyOf } from '../../forms/body.ts'
import { screenWords, words } from '../../words/words.ts'
import { factorOf } from './factor.ts'

/** How a field changes. Numbers can also change in proportion to what they are. */
export type Way = 'set' | 'percent' | 'times'

/** What somebody has chosen for a field. */
export interface FieldChange {
  readonly path: string
  readonly way: Way
  /** The new value as its editor holds it, the percentage, or the factor. */
  readonly text: string
  /** Of amounts in several currencies: the one that changes in proportion. */
  readonly currency: string
  /** The step that the result is rounded to, in the smallest unit. */
  readonly roundTo: string
}

export interface Adjustment {
  readonly field: string
  readonly times: number
  readonly round_to: number
}

export const newChange = ({ path, kind }: FieldFacts): FieldChange => ({
  ...{ path, way: kind === 'amounts' ? 'percent' : 'set', text: '', currency: '', roundTo: '1' },
})

/** The fields that can be changed in many objects. A secret could not be looked at before, or put back. */
export const changeableFields = ({ fields }: Body): readonly FieldFacts[] =>
  fields.filter(({ kind, secret }) => !secret && kind !== 'file')

/** Whole numbers change in proportion. */
export const waysOf = ({ kind }: FieldFacts): readonly Way[] =>
  kind === 'amounts' || kind === 'money' || kind === 'integer' ? ['set', 'percent', 'times'] : ['set']

const timesMax = 1000

/** The factor that was typed; undefined for what is no number. */
const typedFactor = ({ way, text }: FieldChange) =>
  factorOf(text.replace(words.decimalPoint, '.'), way === 'percent')

/** What is wrong with a change; undefined if nothing is. */
export function faultOfChange(field: FieldFacts, change: FieldChange): string | undefined {
  const { plan } = screenWords.bulkChanges
  if (change.way === 'set')
    return change.text === '' && !field.nullable ? words.form.isRequired : faultOf(field, change.text)
  if (field.kind === 'amounts' && change.currency === '') return plan.noCurrency
  const factor = typedFactor(change)
  if (factor === undefined) return plan.notNumber
  if (Math.abs(factor) > timesMax) return words.form.tooLarge(timesMax)
  return /^[1-9]\d{0,8}$/.test(change.roundTo) ? undefined : plan.notStep
}

const adjustmentOf = ({ kind, path }: FieldFacts, change: FieldChange): Adjustment => ({
  field: kind === 'amounts' ? `${path}.${change.currency}.amount` : path,
  times: typedFactor(change) ?? 1,
  round_to: Number(change.roundTo),
})

/** Which objects change: those that were selected, or those that the list shows. */
export type Chosen = { readonly ids: readonly string[] } | { readonly filter: string | undefined }

/** The request of a bulk change; undefined while nothing, or something wrong, was typed. */
export function requestOf(
  list: string,
  chosen: Chosen,
  body: Body,
  changes: readonly FieldChange[],
): Item | undefined {
  const known = changes.flatMap((change) => {
    const field = body.fields.find(({ path }) => path === change.path)
    return field ? [{ field, change }] : []
  })
  if (!known.length || known.some(({ field, change }) => faultOfChange(field, change))) return undefined
  const set = known.filter(({ change }) => change.way === 'set')
  const scaled = known.filter(({ change }) => change.way !== 'set')
  const texts = Object.fromEntries(set.map(({ change: { path, text } }) => [path, text]))
  const patch = set.length
    ? valueAt(bodyOf({ ...body, fields: set.map(({ field }) => field) }, {}, texts, {}), 'data')
    : undefined
  return {
    data: {
      ...{ type: 'bulk_change', list },
      ...('ids' in chosen ? chosen : chosen.filter && { filter: chosen.filter }),
      ...(isItem(patch) && { patch }),
      ...(scaled.length && { adjust: scaled.map(({ field, change }) => adjustmentOf(field, change)) }),
    },
  }
}

/** What changes with every write, or says the same in another form. */
const untold = /timestamps|_at$|links|relationships|display_|formatted/

export const isTold = ({ path }: { readonly path: string }): boolean => !untold.test(path)

/** How far the work of a bulk change is. */
export interface Counts {
  readonly chosen: number
  readonly changed: number
  readonly unchanged: number
  readonly refused: number
}

export function countsOf(bulkChange: unknown): Counts {
  const count = (name: string) => Number(valueAt(bulkChange, `counts.${name}`) ?? 0)
  return {
    ...{ chosen: count('chosen'), changed: count('changed') },
    ...{ unchanged: count('unchanged'), refused: count('refused') },
  }
}

export const isOpen = ({ status }: Item): boolean => status === 'pending' || status === 'started'

export const adjustmentsOf = ({ adjust }: Item): readonly Adjustment[] =>
  (Array.isArray(adjust) ? adjust : []).filter(isItem).map(({ field, times, round_to }) => ({
    ...{ field: String(field), times: Number(times), round_to: Number(round_to ?? 1) },
  }))
