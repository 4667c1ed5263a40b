import { expect, expectTypeOf, test } from 'vitest'
import { choice, describe as describeField, group, text } from '../../../server/kernel/shape/fields.ts'
import {
  about,
  optional,
  orNull,
  readOnly,
  relationshipTo,
  required,
  type ShownValue,
  shown,
} from '../../../server/kernel/shape/shown.ts'

const note = shown.group({
  id: shown.uuid,
  kind: shown.constant('draft', 'final'),
  title: about('Shown to people.', shown.text),
  pages: optional(shown.list(shown.integer)),
  words: shown.map(shown.group({ count: shown.integer, last: orNull(shown.time) })),
  author: optional(group({ name: text({ required: true }), role: choice(['owner'], {}) }, {})),
  reader: required(group({ name: text({}) }, {})),
})

test('a value has no limits, and a response always has it unless it is optional', () => {
  expect(note.schema).toMatchObject({
    required: ['id', 'kind', 'title', 'words', 'reader'],
    properties: {
      kind: { enum: ['draft', 'final'] },
      title: { type: 'string', description: 'Shown to people.' },
      pages: { type: 'array', items: { type: 'integer' } },
      words: { additionalProperties: { properties: { last: { type: ['string', 'null'] } } } },
    },
  })
  expect(JSON.stringify([shown.text, shown.integer, shown.list(shown.text)])).not.toMatch(/max|min/i)
})

test('the compiler knows what a response has', () => {
  type Note = ShownValue<typeof note>
  expectTypeOf<Note['kind']>().toEqualTypeOf<'draft' | 'final'>()
  expectTypeOf<Note['pages']>().toEqualTypeOf<readonly number[] | undefined>()
  expectTypeOf<Note['words'][string]['last']>().toEqualTypeOf<string | null>()
  expectTypeOf<NonNullable<Note['author']>['name']>().toEqualTypeOf<string>()
  const whole = {
    ...{ id: 'a', kind: 'draft', title: 'One', words: {} },
    reader: { name: undefined },
  } as const satisfies Note
  const { title: _, ...untitled } = whole
  // @ts-expect-error: a member that a response always has is missing.
  const missing: Note = untitled
  // @ts-expect-error: the value of a member has another type.
  const wrong: Note = { ...whole, pages: ['1'] }
  expect([missing, wrong]).toHaveLength(2)
})

test('a read-only member of a resource has the schema, and no value in requests', () => {
  const relationships = readOnly(relationshipTo(note), { about: 'The note.' })
  expect(describeField(relationships)).toMatchObject({
    ...{ description: 'The note.', readOnly: true },
    properties: { data: { required: note.schema.required } },
  })
})
