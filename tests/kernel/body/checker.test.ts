import { expect, test } from 'vitest'
import { checker } from '../../../server/kernel/body/checker.ts'
import { Problem } from '../../../server/kernel/errors.ts'

function faultsOf(schema: Parameters<typeof checker>[0], value: unknown): readonly Problem[] {
  try {
    checker(schema, 'data')(value)
    return []
  } catch (fault) {
    if (fault instanceof Problem) return fault.all
    throw fault
  }
}

const shelf = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    width: { type: 'integer', minimum: 1, maximum: 9 },
    labels: { type: 'array', items: { type: 'string', minLength: 2, format: 'email' }, maxItems: 3 },
    texts: {
      type: 'object',
      propertyNames: { pattern: '^[a-z]+$' },
      additionalProperties: { type: 'string' },
    },
  },
}

test('every fault of a body is listed with its path', () => {
  const faults = faultsOf(shelf, { width: 10, labels: ['a@b.example', '', 7], texts: { A: 'x', b: 1 } })
  expect(faults.map(({ source }) => source)).toEqual([
    'data.name',
    'data.width',
    'data.labels.1',
    'data.labels.2',
    'data.texts',
    'data.texts.b',
  ])
  expect(faults.map(({ detail }) => detail)).toContain(
    'Validation failed: data.width must be from 1 to 9, not 10.',
  )
})

test.for([
  [{ type: 'array', minItems: 1 }, [], 'data must have at least 1 item, not 0.'],
  [{ type: 'array', maxItems: 2 }, [1, 2, 3], 'data must have at most 2 items, not 3.'],
  [{ type: 'object', minProperties: 1 }, {}, 'data must have at least 1 member, not {}.'],
  [{ type: 'string', minLength: 1, maxLength: 1 }, '', 'data must be a string of 1 character, not "".'],
] as const)('one is not several: %j', ([schema, value, detail]) => {
  expect(faultsOf(schema, value).map((fault) => fault.detail)).toEqual([`Validation failed: ${detail}`])
})

test('a refusal lists the first twenty faults', () => {
  const items = { type: 'array', items: { type: 'string' } }
  const faults = faultsOf(
    items,
    Array.from({ length: 1000 }, (_, i) => i),
  )
  expect(faults.map(({ source }) => source)).toEqual(Array.from({ length: 20 }, (_, i) => `data.${i}`))
})

test('for a value with many members only the first fault is listed', () => {
  const items = { type: 'array', items: { type: 'string' } }
  const faults = faultsOf(
    items,
    Array.from({ length: 5001 }, (_, i) => i),
  )
  expect(faults.map(({ source }) => source)).toEqual(['data.0'])
})

test('a value with many members is not repeated in its refusal', () => {
  const [fault] = faultsOf(
    { type: 'object' },
    Array.from({ length: 200 }, () => 'x'),
  )
  expect(fault?.detail).toBe('Validation failed: data must be an object.')
})
