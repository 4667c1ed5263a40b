import { describe, expect, test } from 'vitest'
import { kinds } from '../../../server/kernel/body/kinds.ts'
import { action } from '../../../server/kernel/declare/action.ts'
import { Problem } from '../../../server/kernel/errors.ts'
import { module } from '../../../server/kernel/module.ts'
import { kindsSchema } from '../../../server/kernel/openapi/schemas.ts'
import { noContent } from '../../../server/kernel/shape/answer.ts'
import { flag, integer, reference, text } from '../../../server/kernel/shape/fields.ts'
import { expectLinear } from '../../support/growth.ts'

const pencil = {
  about: 'A pencil.',
  fields: {
    color: text({ required: true, max: 9 }),
    hardness: integer({ default: 2 }),
    maker_id: reference('maker', {}),
    sold: flag({ readOnly: true }),
  },
}
const brush = {
  about: 'A brush.',
  fields: { pin: text({ stored: false, required: true, max: 4 }), width: integer({ inputName: 'size' }) },
}
const tools = kinds({ name: 'NewTool', by: 'tool', most: 1000, of: { pencil, brush } })

/** The problems that reading the value as `data` throws. */
function problemsOf(data: unknown): readonly Problem[] {
  try {
    tools.read({ data })
  } catch (fault) {
    if (fault instanceof Problem) return fault.all
    throw fault
  }
  return []
}

const id = 'AAAAAAAA-0000-4000-8000-000000000001'

test('each object has the values of its own kind, and its place in the request', () => {
  const pencils = { tool: 'pencil', color: 'red', maker_id: id, sold: true, pin: 'x', none: 1 }
  expect(tools.read({ data: [pencils, { tool: 'brush', pin: '1234', size: 7 }] })).toEqual([
    { kind: 'pencil', source: 'data.0', values: { color: 'red', hardness: 2, maker_id: id.toLowerCase() } },
    { kind: 'brush', source: 'data.1', values: { pin: '1234', width: 7 } },
  ])
  expect(tools.read({ data: pencils })).toMatchObject([{ kind: 'pencil', source: 'data' }])
})

test('a refusal never repeats a value that is not shown', () => {
  const [problem] = problemsOf([{ tool: 'brush', pin: 'a secret' }])
  expect(problem?.source).toBe('data.0.pin')
  expect(problem?.detail).not.toContain('secret')
})

describe('a declaration', () => {
  const of = { pencil }

  test('without kinds, without a limit or with a field for the kind is refused', () => {
    expect(() => kinds({ name: 'NewTool', most: 1, of: {} })).toThrow('The kinds NewTool are empty')
    for (const most of [0, 1.5, Number.POSITIVE_INFINITY]) {
      expect(() => kinds({ name: 'NewTool', most, of })).toThrow('The kinds NewTool need a limit')
    }
    expect(() => kinds({ name: 'NewTool', by: 'color', most: 1, of })).toThrow(
      'pencil cannot declare a field of that name',
    )
  })

  test('beside another body, or of a call without one, is refused', () => {
    const call = {
      name: 'add-tool',
      about: 'Adds a tool.',
      area: 'tools',
      status: 204,
      kinds: tools,
    } as const
    const declare = (more: object) =>
      module({
        name: 'tools',
        about: 'Tools.',
        actions: [action({ ...call, route: 'POST /v2/tools', run: async () => noContent, ...more })],
      })
    declare({})
    const refusal = 'add-tool: kinds are the whole body of a POST or a PUT'
    expect(() => declare({ body: { type: 'tool', fields: {} } })).toThrow(refusal)
    expect(() => declare({ route: 'GET /v2/tools' })).toThrow(refusal)
  })
})

test('the API document has each kind, and a discriminator', () => {
  expect(kindsSchema(tools)).toMatchObject({
    oneOf: [
      {
        oneOf: [
          {
            description: 'A pencil.',
            required: ['tool', 'color'],
            properties: { tool: { const: 'pencil' } },
          },
          { required: ['tool', 'pin'], properties: { pin: { writeOnly: true } } },
        ],
        discriminator: {
          propertyName: 'tool',
          mapping: {
            pencil: '#/components/schemas/NewToolPencil',
            brush: '#/components/schemas/NewToolBrush',
          },
        },
      },
      { type: 'array', maxItems: 1000 },
    ],
  })
})

const hostile: Readonly<Record<string, (size: number) => unknown>> = {
  'objects of other kinds': (size) => Array.from({ length: size / 20 }, () => ({ tool: 'saw' })),
  'objects with faults': (size) =>
    Array.from({ length: size / 20 }, () => ({ tool: 'pencil', hardness: 'x' })),
  'sound objects before one with a fault': (size) =>
    Array.from({ length: size / 20 }, (_, i) => ({
      tool: 'pencil',
      ...(i < size / 20 - 1 && { color: 'red' }),
    })),
  'one object of many members': (size) =>
    Object.fromEntries(Array.from({ length: size }, (_, i) => [`m${i}`, i])),
  'a deep object': (size) =>
    JSON.parse(`{"tool":"pencil","color":${'['.repeat(size / 20)}${']'.repeat(size / 20)}}`),
}

test.each(Object.entries(hostile))('a body of %s is read in linear time, with few faults', (_, dataOf) => {
  expectLinear(
    (body) => {
      for (let i = 0; i < 20; i++) expect(problemsOf(JSON.parse(body)).length).toBeLessThanOrEqual(20)
    },
    (size) => JSON.stringify(dataOf(size)),
  )
})
