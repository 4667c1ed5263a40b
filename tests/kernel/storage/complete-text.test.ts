import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Resource } from '../../../server/kernel/declare/resource.ts'
import { withAddedFields } from '../../../server/kernel/storage/added-fields.ts'
import { completeText } from '../../../server/kernel/storage/complete-text.ts'
import { tries } from '../../support/long.ts'
import { gadgets } from '../../workshop/gadgets.ts'

const names = ['a', 'b', 'c']
const scalar = fc.oneof(
  fc.constant(null),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom('', 'x', '{', '}', '"a":', '\\"a":null', '{"a":1}', '},"b":2'),
)
const inside = fc.dictionary(fc.constantFrom(...names, 'z'), scalar)
const own = fc.record(
  { code: scalar, nested: inside, list: fc.array(inside, { maxLength: 2 }) },
  { requiredKeys: [] },
)
const added = fc.record({ a: scalar, b: scalar, c: scalar }, { requiredKeys: [] })
const facts = fc.record({ hidden: fc.boolean(), omitNull: fc.boolean() })
const places = fc.constantFrom('first', 'last') as fc.Arbitrary<'first' | 'last'>

test('a document is shown with all added fields and no other change', () => {
  fc.assert(
    fc.property(
      own,
      added,
      fc.tuple(facts, facts, facts),
      fc.shuffledSubarray(names),
      places,
      fc.boolean(),
      (values, more, extra, order, place, isInside) => {
        const fields = order.map((name) => ({
          id: name,
          name,
          schema: {},
          ...extra[names.indexOf(name) as 0 | 1 | 2],
        }))
        // No document has values of fields that there are not, or shows hidden ones.
        const held = Object.fromEntries(
          Object.entries(more).filter(([name]) => fields.some((one) => one.name === name && !one.hidden)),
        )
        const doc: Record<string, unknown> =
          place === 'last' ? { ...values, ...held } : { ...held, ...values }
        const of: Resource = {
          ...withAddedFields(gadgets as Resource, undefined),
          envelope: { ...gadgets.envelope, fields: isInside ? 'attributes' : 'top' },
          added: { state: '', fields },
        }
        const text = completeText(of, JSON.stringify(isInside ? { attributes: doc, meta: {} } : doc))
        const shown = fields
          .filter(({ hidden }) => !hidden)
          .map(({ name, omitNull }) => [name, held[name] ?? null, omitNull] as const)
          .filter(([, value, omitNull]) => !(omitNull && value === null))
        const whole = { ...values, ...Object.fromEntries(shown) }
        expect(JSON.parse(text)).toEqual(isInside ? { attributes: whole, meta: {} } : whole)
        if (isInside) return
        const keys = Object.keys(JSON.parse(text)).filter((key) => names.includes(key))
        expect(keys).toEqual(shown.map(([name]) => name))
      },
    ),
    { numRuns: tries(600, 3000) },
  )
})
