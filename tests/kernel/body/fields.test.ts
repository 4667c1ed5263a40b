import { describe, expect, test } from 'vitest'
import { input } from '../../../server/kernel/body/input.ts'
import { shownSchema } from '../../../server/kernel/declare/shown-schema.ts'
import { Problem } from '../../../server/kernel/errors.ts'
import { changesSchema, newSchema } from '../../../server/kernel/openapi/schemas.ts'
import {
  type Changes,
  field,
  flag,
  group,
  list,
  map,
  type New,
  text,
} from '../../../server/kernel/shape/fields.ts'
import { complete, merge } from '../../../server/kernel/shape/values.ts'
import { things } from '../../workshop/things.ts'

const { fields } = things
const reader = input(things)
const sent = (values: object) => ({ data: { type: 'thing', title: 'A', ...values } })

const id = 'ABCDEF00-0000-7000-8000-000000000000'
const lower = id.toLowerCase()
// As JSON has it: an own member of that name.
const proto = (value: unknown) =>
  JSON.parse(JSON.stringify({ '?': value }).replace('?', '__proto__')) as object

function refusalOf(run: () => unknown): Problem {
  try {
    run()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('was not refused')
}

describe('a body of a create is read', () => {
  test.each<[values: object, rest: object]>([
    [{ unheard_of: 1, id }, {}],
    [{ code: 'gbp' }, { code: 'GBP' }],
    [{ owner: id }, { owner: lower }],
    [{ weight: null }, { weight: null }],
    [{ weight: -0.5 }, { weight: -0.5 }],
    [{ ratio: 1e308 }, { ratio: 1e308 }],
    [{ codes: ['gbp', 'Eur'] }, { codes: ['GBP', 'EUR'] }],
    [{ contact: null }, { contact: null }],
    [
      { contact: { email: 'a@b.example', owner: id, place: { country: 'fr', x: 1 }, x: 1 } },
      { contact: { email: 'a@b.example', owner: lower, place: { country: 'FR' } } },
    ],
    [{ labels: { 'é.1': 'x' } }, { labels: { 'é.1': 'x' } }],
    [{ labels: proto('x') }, { labels: proto('x') }],
    [{ amounts: { a: { units: 0, code: 'gbp', x: 1 } } }, { amounts: { a: { units: 0, code: 'GBP' } } }],
    [{ rows: [{ id }, { note: 'n', x: 1 }] }, { rows: [{ id: lower }, { note: 'n' }] }],
    [{ shape: { sides: 3, x: [1] } }, { shape: { sides: 3, x: [1] } }],
    [{ token: 'read as the other' }, { fresh_token: 'read as the other' }],
    [{ fresh_token: 'no name of anything' }, {}],
  ])('%j', (values, rest) => {
    for (const read of [reader.create, reader.update])
      expect(read(sent(values))).toEqual({ title: 'A', ...rest })
  })

  test.each<[values: object, rest: object]>([
    [{ title: undefined }, { title: undefined }],
    [{ contact: { phone: null } }, { contact: { phone: null } }],
    [{ labels: { a: null } }, { labels: { a: null } }],
    [{ labels: { a: '', b: '', c: '', d: '' } }, { labels: { a: '', b: '', c: '', d: '' } }],
    [{ amounts: { a: { code: 'usd' }, b: null } }, { amounts: { a: { code: 'USD' }, b: null } }],
  ])('a body of an update is read: %j', (values, rest) => {
    expect(reader.update(sent(values))).toEqual({ title: 'A', ...rest })
  })
})

describe('attributes of a closed resource', () => {
  const read = input({
    type: 'box',
    envelope: { fields: 'attributes' },
    closed: true,
    fields: {
      name: text({}),
      size: field<object | undefined>(
        { type: 'object', additionalProperties: false, properties: { wide: {}, high: {} } },
        {},
      ),
      owner: text({ readOnly: true }),
      secret: text({ readOnly: true, hidden: true }),
    },
  })
  const box = (attributes: object) => ({ data: { type: 'box', attributes, unheard_of: 1 } })

  test.each<[attributes: object, source: string, words: string]>([
    [{ nmae: 'A' }, 'nmae', 'data.attributes accepts created_at, updated_at, owner, name, size.'],
    [{ name: 'A', size: { wide: 1, hihg: 1 } }, 'size.hihg', 'data.attributes.size accepts wide, high.'],
    [{ secret: 'A' }, 'secret', 'is unknown'],
    [proto(1), '__proto__', 'is unknown'],
  ])('%j is refused', (attributes, source, words) => {
    for (const accept of [read.create, read.update]) {
      const refusal = refusalOf(() => accept(box(attributes)))
      expect([refusal.code, refusal.source]).toEqual(['invalid_field', `data.attributes.${source}`])
      expect(refusal.detail).toContain(words)
    }
  })

  test('that only answers show are ignored, and so are members outside the attributes', () => {
    const shown = { created_at: 'x', updated_at: 7, owner: 'me', name: 'A', size: { wide: 1 } }
    expect(read.update(box(shown))).toEqual({ name: 'A', size: { wide: 1 } })
  })
})

describe('a refusal of a body says what is accepted', () => {
  test.each<[values: object, source: string, words: string]>([
    [{ weight: '1' }, 'weight', 'must be a number or null, not "1".'],
    [{ weight: -1001 }, 'weight', 'must be from -1000 to 1000, not -1001.'],
    [{ weight: Infinity }, 'weight', 'must be a number or null, not Infinity.'],
    [{ ratio: -Infinity }, 'ratio', 'must be a number, not -Infinity.'],
    [{ ratio: null }, 'ratio', 'must be a number, not null.'],
    [{ code: 'GBPX' }, 'code', 'must be a string of 0 to 3 characters, not "GBPX".'],
    [{ code: 'ßßß' }, 'code', 'must be 3 characters of A to Z and a to z, not "ßßß".'],
    [{ codes: ['gbp', 'x'] }, 'codes.1', 'must be 3 characters of A to Z and a to z, not "x".'],
    [{ codes: Array(1001).fill('gbp') }, 'codes', 'must have at most 1000 items, not '],
    [{ contact: [] }, 'contact', 'must be an object or null, not [].'],
    [{ contact: 'x' }, 'contact', 'must be an object or null, not "x".'],
    [{ contact: { email: 'x' } }, 'contact.email', 'must be an email address, not "x".'],
    [
      { contact: { email: 'a@b.example', place: { country: 7 } } },
      'contact.place.country',
      'must be a string, not 7.',
    ],
    [{ contact: { email: 'a@b.example', place: null } }, 'contact.place', 'must be an object, not null.'],
    [{ labels: { 'a/b~c': 1 } }, 'labels.a/b~c', 'must be a string'],
    [{ labels: proto(1) }, 'labels.__proto__', 'must be a string'],
    [{ amounts: { a: { units: -1 } } }, 'amounts.a.units', 'must be from 0 to 9007199254740991, not -1.'],
    [{ rows: [{}, { id: 'x' }] }, 'rows.1.id', 'must be a UUID, not "x".'],
    [{ shape: {} }, 'shape.sides', 'is required'],
    // Nothing that is hidden, or not stored, is repeated.
    [{ pin: 7 }, 'pin', 'must be a string.'],
    [{ token: 'seven c' }, 'token', 'must be a string of 8 to 60 characters.'],
    [{ keys: { own: 'longer than ten' } }, 'keys.own', 'must be a string of 0 to 10 characters.'],
  ])('%j', (values, source, words) => {
    for (const read of [reader.create, reader.update]) {
      const refusal = refusalOf(() => read(sent(values)))
      expect([refusal.code, refusal.source]).toEqual(['invalid_field', `data.${source}`])
      expect(refusal.detail).toContain(words)
      expect(refusal.detail).toContain(`data.${source}`)
    }
  })

  const keys = 'a key of data.labels must be a string of 1 to 255 characters, not '
  const long = 'k'.repeat(256)
  test.each<[values: object, source: string, words: string]>([
    [{ labels: { '': 'x' } }, 'labels', `${keys}"".`],
    [{ labels: { [long]: 'x' } }, 'labels', `${keys}"kkkk`],
    [{ labels: { a: null } }, 'labels.a', 'must be a string, not null.'],
    [{ labels: { a: '', b: '', c: '', d: '' } }, 'labels', 'must have at most 3 members'],
    [{ contact: {} }, 'contact.email', "The field 'email' is required (data.contact.email)."],
    [{ amounts: { a: {} } }, 'amounts.a.units', "The field 'units' is required (data.amounts.a.units)."],
  ])('also in a create with %j', (values, source, words) => {
    const refusal = refusalOf(() => reader.create(sent(values)))
    expect(refusal.source).toBe(`data.${source}`)
    expect(refusal.detail).toContain(words)
  })
})

describe('defaults', () => {
  const own = { count: 1, on: false, words: [], amounts: {} }
  test.each<[values: object, whole: object]>([
    [{}, own],
    [
      { count: 0, on: true, words: ['x'] },
      { ...own, count: 0, on: true, words: ['x'] },
    ],
    [{ count: undefined }, own],
    [{ contact: null }, { ...own, contact: null }],
    [
      { contact: { email: 'a@b.example' } },
      { ...own, contact: { email: 'a@b.example', place: { country: 'GB' } } },
    ],
    [
      { contact: { email: 'a@b.example', place: { city: 'Ely' } } },
      { ...own, contact: { email: 'a@b.example', place: { country: 'GB', city: 'Ely' } } },
    ],
    [{ amounts: { a: { units: 1 } } }, { ...own, amounts: { a: { units: 1, code: 'EUR' } } }],
    [{ rows: [{}, { note: 'n' }] }, { ...own, rows: [{ note: '' }, { note: 'n' }] }],
    [{ keys: {} }, { ...own, keys: {} }],
  ])('complete %j', (values, whole) => {
    expect(complete(fields, { title: 'A', ...values })).toEqual({ title: 'A', ...whole })
  })

  test('are not shared: a rule may change its values', () => {
    const [one, other] = [complete(fields, { title: 'A' }), complete(fields, { title: 'B' })]
    ;(one.words as string[]).push('x')
    expect(other.words).toEqual([])
  })
})

describe('an update', () => {
  const contact = { email: 'a@b.example', phone: '1', place: { country: 'GB', city: 'Ely' } }
  const before = { title: 'A', count: 3, contact, labels: { a: '1', b: '2' }, words: ['x', 'y'] }
  test.each<[changes: Changes<typeof fields>, stored: object]>([
    [{}, {}],
    [{ count: 4 }, { count: 4 }],
    [{ title: undefined }, { title: undefined }],
    [{ contact: {} }, { contact }],
    [{ contact: { phone: null } }, { contact: { ...contact, phone: null } }],
    [
      { contact: { place: { city: 'York' } } },
      { contact: { ...contact, place: { country: 'GB', city: 'York' } } },
    ],
    [{ contact: null }, { contact: null }],
    [{ labels: {} }, { labels: { a: '1', b: '2' } }],
    [{ labels: { b: '3', c: '4' } }, { labels: { a: '1', b: '3', c: '4' } }],
    [{ labels: { a: null, c: '4', d: '5' } }, { labels: { b: '2', c: '4', d: '5' } }],
    [{ labels: { x: null } }, { labels: { a: '1', b: '2' } }],
    [{ words: ['z'] }, { words: ['z'] }],
    // What was not there is made, with its defaults.
    [{ amounts: { a: { units: 1 } } }, { amounts: { a: { units: 1, code: 'EUR' } } }],
    [{ keys: {} }, { keys: {} }],
  ])('of a row to %j', (changes, stored) => {
    expect(merge(things, before, changes)).toEqual(stored)
  })

  test.each<[stored: Record<string, unknown>, changes: Changes<typeof fields>, detail: string]>([
    [{}, { contact: { phone: '1' } }, "The field 'email' is required (data.contact.email)."],
    [{ contact: null }, { contact: {} }, "The field 'email' is required (data.contact.email)."],
    [
      { amounts: { a: { units: 1 } } },
      { amounts: { b: { code: 'USD' } } },
      "The field 'units' is required (data.amounts.b.units).",
    ],
    [
      before,
      { labels: { c: '', d: '' } },
      'Validation failed: data.labels must have at most 3 members, not 4.',
    ],
  ])('of %j to %j is refused', (stored, changes, detail) => {
    const refusal = refusalOf(() => merge(things, stored, changes))
    expect([refusal.code, refusal.detail]).toEqual(['invalid_field', detail])
  })
})

test('fields under attributes are refused under their path', () => {
  const below = { ...things, envelope: { ...things.envelope, fields: 'attributes' } } as const
  const at = 'data.attributes.contact.email'
  const merging = refusalOf(() => merge(below, {}, { contact: { phone: '1' } }))
  const reading = refusalOf(() =>
    input(below).create({
      data: { type: 'thing', attributes: { title: 'A', contact: { email: 7 }, token: 'seven c' } },
    }),
  )
  expect([merging.source, reading.source]).toEqual([at, at])
  const secret = { data: { type: 'thing', attributes: { title: 'A', keys: { own: 'longer than ten' } } } }
  expect(refusalOf(() => input(below).create(secret)).detail).not.toContain('longer')
  const { fresh_token } = input(below).create({
    data: { type: 'thing', attributes: { title: 'A', token: 'for once' } },
  })
  expect(fresh_token).toBe('for once')
})

test.each([
  ['hidden', () => group({ a: text({ hidden: true }) }, {})],
  ['not stored', () => map(text({ stored: false }), {})],
  ['read-only', () => list(flag({ readOnly: true }), {})],
  ['immutable', () => group({ a: text({ immutable: true }) }, {})],
  ['with another name in requests', () => group({ a: text({ inputName: 'b' }) }, {})],
  ['null in a map', () => map(text({ nullable: true }), {})],
])('a field inside another field cannot be %s', (_what, declare) => {
  expect(declare).toThrow(/cannot be/)
})

describe('the API document', () => {
  test('describes a new object', () => {
    const { properties, required } = documented(newSchema(things))
    expect(required).toEqual(['type', 'title'])
    expect(properties).toMatchObject({
      weight: { type: ['number', 'null'], minimum: -1000, maximum: 1000 },
      contact: {
        type: ['object', 'null'],
        required: ['email'],
        properties: { email: { format: 'email' }, place: { properties: { country: { default: 'GB' } } } },
      },
      labels: {
        maxProperties: 3,
        propertyNames: { maxLength: 255 },
        additionalProperties: { type: 'string' },
      },
      amounts: { additionalProperties: { required: ['units'], properties: { units: { minimum: 0 } } } },
      pin: { writeOnly: true },
      token: { type: ['string', 'boolean'], writeOnly: true },
    })
    expect(Object.keys(properties)).not.toContain('fresh_token')
  })

  test('describes an update', () => {
    const { properties, required } = documented(changesSchema(things))
    expect(required).toEqual(['type'])
    expect(properties.contact).not.toHaveProperty('required')
    expect(properties.labels).toMatchObject({ additionalProperties: { type: ['string', 'null'] } })
    expect(properties.amounts).toMatchObject({ additionalProperties: { type: ['object', 'null'] } })
    expect(properties.amounts).not.toHaveProperty('additionalProperties.required')
    expect(properties.rows).toMatchObject({ type: 'array', items: { type: 'object' } })
  })

  test('describes what answers show', () => {
    const { properties } = documented(shownSchema(things))
    expect(properties.token).toEqual({ type: 'boolean', readOnly: true })
    for (const name of ['pin', 'fresh_token', 'keys']) expect(Object.keys(properties)).not.toContain(name)
    expect(properties.contact).toMatchObject({ required: ['email'] })
  })
})

interface DocumentedSchema {
  readonly properties: Readonly<Record<string, object>>
  readonly required: readonly string[]
}

const documented = (schema: unknown) => schema as DocumentedSchema

test('required fields are checked when an object is written', () => {
  const values: New<typeof fields> = { title: 'A', contact: { email: 'a@b.example' } }
  // @ts-expect-error the title is required
  const untitled: New<typeof fields> = { count: 1 }
  // @ts-expect-error a member that is required
  const nameless: New<typeof fields> = { title: 'A', contact: { phone: '1' } }
  // @ts-expect-error of another type
  const other: New<typeof fields> = { title: 'A', weight: '1' }
  // @ts-expect-error unheard of
  const more: New<typeof fields> = { title: 'A', unheard_of: 1 }
  expect(Object.keys(complete(fields, values))).toContain('title')
  expect([untitled, nameless, other, more]).toHaveLength(4)
})
