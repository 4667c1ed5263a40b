import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faultsMax } from '../../../server/kernel/body/faults.ts'
import { writable } from '../../../server/kernel/body/input.ts'
import type { Field } from '../../../server/kernel/shape/fields.ts'
import { operations, Samples } from '../../builders/samples.ts'
import type { Reply } from '../../support/client.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

/** The laws of operations with `kinds`: their body is an object whose kind chooses its fields, or a list of those. */

let world: World
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
})
afterAll(() => world.close())

interface Fault {
  readonly code: string
  readonly source: string
  readonly detail: string
}

const faultsOf = ({ body }: Reply): readonly Fault[] => body?.errors ?? []
const sourcesOf = (reply: Reply) => faultsOf(reply).map(({ source }) => source)

const takers = operations.flatMap((operation) => {
  const { kinds } = operation.of.is === 'action' ? operation.of.action : {}
  return kinds ? [{ id: operation.id, operation, kinds }] : []
})

test('an operation of the workshop has kinds', () => {
  expect(takers.map(({ id }) => id)).toContain('add-paper-items')
})

/** A value of another type than the field's. */
function wrongFor({ schema }: Field): unknown {
  const types = [schema.type].flat()
  return types.includes('string') ? 17 : types.includes('object') ? 'text' : {}
}

describe.each(takers)('$id', ({ operation, kinds: { by, most, of } }) => {
  const names = Object.keys(of)
  const forms = most === 1 ? ['one'] : ['one', 'a list']

  /** Samples of its own for each test, so that no limit of the objects above is met. */
  async function begin() {
    const samples = new Samples(world.admin, world.work)
    const path = await samples.pathOf(operation)
    const post = (body: unknown) => world.admin.send(operation.method, path, { body: JSON.stringify(body) })
    return {
      post,
      /** In a list the object is the second, after a valid one. */
      send: async (item: unknown, form: string) =>
        post({
          data: form === 'one' ? item : [await samples.item(operation, names[0] as string, path), item],
        }),
      make: (kind: string, full = true) => samples.item(operation, kind, path, full),
    }
  }
  const at = (form: string) => (form === 'one' ? 'data' : 'data.1')

  test.each(names)('accepts the kind %s, with all fields and with the required ones', async (kind) => {
    const { make, send } = await begin()
    for (const form of forms) {
      for (const full of [true, false]) {
        const item = await make(kind, full)
        const reply = await send(item, form)
        expect([reply.status, faultsOf(reply)], `${form}: ${JSON.stringify(item)}`).toEqual([
          operation.status,
          [],
        ])
      }
    }
  })

  test('accepts all kinds in one list', async () => {
    const { make, post } = await begin()
    const data = await Promise.all(names.slice(0, most).map((kind) => make(kind)))
    const reply = await post({ data: most === 1 ? data[0] : data })
    expect([reply.status, faultsOf(reply)]).toEqual([operation.status, []])
  })

  test.each(names)(
    'names the place of each missing field and each field of a wrong type of %s',
    async (kind) => {
      const { make, send } = await begin()
      for (const form of forms) {
        const item = await make(kind)
        for (const [name, field] of writable(of[kind]?.fields ?? {})) {
          const wrong = await send({ ...item, [name]: wrongFor(field) }, form)
          expect([wrong.status, ...sourcesOf(wrong)], `${form} with a wrong ${name}`).toEqual([
            400,
            `${at(form)}.${name}`,
          ])
          if (!field.options.required) continue
          const { [name]: _, ...without } = item
          const missing = await send(without, form)
          expect([missing.status, ...sourcesOf(missing)], `${form} without ${name}`).toEqual([
            400,
            `${at(form)}.${name}`,
          ])
        }
      }
    },
  )

  test('refuses other kinds, and lists the accepted ones', async () => {
    const { make, send } = await begin()
    const accepted = names.map((kind) => JSON.stringify(kind)).join(', ')
    for (const form of forms) {
      const { [by]: _, ...item } = await make(names[0] as string)
      for (const kind of ['no_such_kind', 'toString', '', 17, null, {}]) {
        const [fault, ...more] = faultsOf(await send({ ...item, [by]: kind }, form))
        expect([fault?.code, fault?.source, more], `${form} of the kind ${kind}`).toEqual([
          'invalid_field',
          `${at(form)}.${by}`,
          [],
        ])
        expect(fault?.detail).toContain(`must be one of ${accepted}, not `)
      }
      expect(sourcesOf(await send(item, form)), `${form} without a kind`).toEqual([`${at(form)}.${by}`])
    }
  })

  test('refuses anything but objects, too many objects, and an empty list', async () => {
    const { make, post, send } = await begin()
    for (const body of [{}, [], 'x', null])
      expect(sourcesOf(await post(body)), JSON.stringify(body)).toEqual(['data'])
    for (const data of [17, 'x', true, null, ...(most === 1 ? [[]] : [])]) {
      expect(sourcesOf(await post({ data })), JSON.stringify(data)).toEqual(['data'])
      if (most > 1) expect(sourcesOf(await send(data, 'a list')), JSON.stringify([data])).toEqual(['data.1'])
    }
    const item = await make(names[0] as string)
    for (const length of most === 1 ? [1] : [0, most + 1]) {
      const [fault] = faultsOf(await post({ data: Array.from({ length }, () => item) }))
      expect([fault?.code, fault?.source], `${length} objects`).toEqual(['invalid_field', 'data'])
    }
  })

  test.runIf(most > 1)('names the faults of all objects at once, up to a limit', async () => {
    const { post } = await begin()
    const data = Array.from({ length: most }, (_, i) => ({ [by]: names[i % names.length] }))
    const expected = data.flatMap((item, i) =>
      writable(of[String(item[by])]?.fields ?? {})
        .filter(([, { options }]) => options.required)
        .map(([name]) => `data.${i}.${name}`),
    )
    expect(sourcesOf(await post({ data }))).toEqual(expected.slice(0, faultsMax))
  })
})
