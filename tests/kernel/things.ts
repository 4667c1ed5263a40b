import {
  choice,
  field,
  flag,
  group,
  integer,
  list,
  map,
  number,
  reference,
  text,
} from '../../server/kernel/fields.ts'
import { longText } from '../../server/kernel/query/long-text.ts'
import { resource } from '../../server/kernel/resource.ts'
import type { World } from '../support/world.ts'

const code = text({ upperCase: true, pattern: /^[A-Za-z]{3}$/, max: 3 })
const amount = group(
  { units: integer({ required: true, min: 0 }), code: text({ upperCase: true, max: 3, default: 'EUR' }) },
  {},
)

export const thingFields = {
  title: text({ required: true, min: 1, max: 20 }),
  code,
  owner: reference('thing', {}),
  weight: number({ nullable: true, min: -1000, max: 1000 }),
  ratio: number({}),
  count: integer({ default: 1 }),
  on: flag({ default: false }),
  mood: choice(['good', 'bad'], {}),
  words: list(text({ max: 5 }), { default: [], maxItems: 3 }),
  codes: list(code, {}),
  contact: group(
    {
      email: text({ required: true, format: 'email', max: 100 }),
      phone: text({ nullable: true, max: 20 }),
      owner: reference('thing', {}),
      place: group(
        { country: text({ upperCase: true, max: 2, default: 'GB' }), city: text({}) },
        { default: {} },
      ),
    },
    { nullable: true },
  ),
  labels: map(text({ max: 10 }), { maxKeys: 3, maxKeyLength: 9 }),
  amounts: map(amount, { default: {} }),
  rows: list(group({ id: reference('thing', {}), note: text({ default: '', max: 5 }) }, {}), {}),
  shape: field<object | undefined>({ type: 'object', required: ['sides'] }, {}),
  pin: text({ stored: false, max: 60 }),
  fresh_token: text({ stored: false, sentAs: 'token', min: 8, max: 60 }),
  token: flag({ readOnly: true }),
  keys: group({ own: text({ max: 10 }) }, { hidden: true }),
}

/** A resource of the tests, with a field of every sort. */
export const things = resource({
  type: 'thing',
  noun: ['thing', 'things'],
  about: 'A thing.',
  path: '/v2/things',
  table: 'things',
  fields: thingFields,
  filter: {
    title: ['eq'],
    'contact.email': { ...longText('contact_email') },
    'contact.phone': { ops: ['eq', 'is_null'], column: `(doc->'contact'->>'phone')` },
    'labels.*': {
      ops: ['eq', 'in', 'is_null'],
      part: /^/,
      where: (op, values, bind, part) => {
        const label = `(doc->'labels'->>${bind(part)}::text)`
        if (op === 'is_null') return `${label} IS NULL`
        return `${label} = ANY(${bind(values)}::text[])`
      },
    },
    'amounts.*.units': {
      ops: ['eq', 'gt'],
      type: 'number',
      part: /^[a-z]{1,3}$/,
      where: (op, [value], bind, part) =>
        `(doc->'amounts'->${bind(part)}::text->>'units')::float8 ${op === 'eq' ? '=' : '>'} ${bind(value)}::float8`,
    },
    'words[]': {
      ops: ['eq'],
      part: /^[0-2]$/,
      where: (_op, [value], bind, part) => `doc->'words'->>${bind(part)}::integer = ${bind(value)}`,
    },
  },
  area: 'things',
  envelope: { times: 'meta.timestamps', digits: 3, fields: 'top', links: 'inside', href: 'absolute' },
  beforeWrite: (_work, { values }) => {
    if (values.fresh_token !== undefined) values.token = true
  },
})

/** The table of things, in a world's database. */
export async function makeThings(world: World): Promise<void> {
  await world.sql(`
    CREATE TABLE things (
      store_id uuid NOT NULL, id uuid NOT NULL, version integer NOT NULL DEFAULT 0,
      created_at timestamptz(3) NOT NULL, updated_at timestamptz(3) NOT NULL,
      doc json NOT NULL, hidden json,
      title text COLLATE "C" GENERATED ALWAYS AS (doc->>'title') STORED NOT NULL,
      contact_email text COLLATE "C" GENERATED ALWAYS AS (doc->'contact'->>'email') STORED,
      CONSTRAINT things_pkey PRIMARY KEY (store_id, id)
    )`)
  await world.sql(`CALL track('things', $$'thing'$$)`)
}
