import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations, Samples, specimenNamed, specimens } from '../../builders/samples.ts'
import { openWorld, type World } from '../../support/world.ts'

/**
 * Bodies in the shapes that the public contract prints for these operations, one in a line of the file: clients are
 * made from them. Words in braces stand for what must exist: `{product}` is the id of a new one, `{above}` that of the
 * object above in the address, `{shown}` the value of the object that is changed.
 */
const shapes = readFileSync(join(import.meta.dirname, 'request-shapes.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as [operation: string, body: Json])

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld()
  samples = new Samples(world.admin, world.work)
})
afterAll(() => world.close())

/** What the word in braces stands for. `shown` is the object that is changed. */
async function existing(word: string, name: string, path: string, shown: Bag): Promise<Json | undefined> {
  if (word === 'uuid') return randomUUID()
  if (word === 'above') return path.split('/').at(-2)
  if (word === 'built_in_role') {
    return (await world.admin.get('/v2/permissions/built-in-roles')).body.data[0].id
  }
  if (word === 'self') return shown.id ?? randomUUID()
  if (word === 'shown') return ((shown.attributes as Bag | undefined)?.[name] ?? shown[name]) as Json
  const noun = nouns[word] ?? word.replaceAll('_', '-')
  const specimen = specimens.find(({ resource }) => resource.noun[0] === noun) ?? specimenNamed(noun)
  // Nodes of the hierarchy that the address names.
  const at = noun === 'node' ? /^\/pcm\/hierarchies\/[^/]+/.exec(path)?.[0] : undefined
  const sample = await samples.make(specimen, at && `${at}/nodes`)
  return word === 'slug' || word === 'location' ? slugIn(sample.body.data) : sample.id
}

const nouns: Readonly<Record<string, string>> = {
  slug: 'custom-relationship',
  location: 'inventory-location',
  template: 'flow',
}

type Bag = Readonly<Record<string, Json>>

const slugIn = (data: { attributes: { slug: string } }) => data.attributes.slug

async function filled(value: Json, name: string, path: string, shown: Bag): Promise<Json | undefined> {
  if (Array.isArray(value)) {
    const all = await Promise.all(value.map((one) => filled(one, name, path, shown)))
    return all as Json
  }
  if (typeof value === 'object' && value !== null) {
    const members: [string, Json | undefined][] = []
    for (const [key, one] of Object.entries(value)) {
      const word = /^\{(\w+)[\w:]*\}$/.exec(key)?.[1]
      const named = word ? String(await existing(word, key, path, shown)) : key
      members.push([named, await filled(one, key, path, shown)])
    }
    return Object.fromEntries(members) as Json
  }
  const word = typeof value === 'string' && name !== 'seek' ? /^\{([\w-]+)\}$/.exec(value)?.[1] : undefined
  return word ? existing(word, name, path, shown) : value
}

test.each(shapes.map(([id, body], line) => ({ id, line: line + 1, body })))(
  '$id accepts the body of line $line',
  async ({ id, body }) => {
    const operation = operations.find((one) => one.id === id)
    if (!operation) throw new Error(`There is no operation ${id}`)
    const { path } = await samples.call(operation)
    const shown =
      operation.of.is === 'resource' && operation.of.name === 'update'
        ? (await world.admin.get(path)).body.data
        : { id: operation.method === 'PUT' ? path.split('/').at(-1) : undefined }
    const sent = await filled(body, '', path, shown)
    const { status, body: answer } = await world.admin.send(operation.method, path, {
      body: JSON.stringify(sent),
    })
    expect([Math.floor(status / 100), answer?.errors], JSON.stringify(sent)).toEqual([2, undefined])
  },
)
