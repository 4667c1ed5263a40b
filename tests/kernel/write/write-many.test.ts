import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Problem } from '../../../server/kernel/errors.ts'
import type { Work } from '../../../server/kernel/work/context.ts'
import { add, change } from '../../../server/kernel/write/by-rules.ts'
import { type ObjectWrite, writeMany } from '../../../server/kernel/write/write-many.ts'
import { accounts } from '../../../server/people/accounts/accounts.ts'
import { tries } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'

type Fields = (typeof accounts)['fields']
type Account = { readonly registration_id: string; readonly name: string }

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

const stored = async (work: Work) => {
  const { rows } = await world.sql(
    `SELECT doc->>'registration_id' AS registration_id, doc->>'name' AS name, version FROM accounts
     WHERE store_id = $1 ORDER BY 1`,
    [work.store.id],
  )
  return rows
}

const refusalOf = (outcome: unknown) => (outcome instanceof Problem ? outcome : undefined)

const clear = () => world.sql('DELETE FROM accounts')

const make = (work: Work, registration_id: string, name: string) =>
  add(work, accounts, [], { registration_id, name })

/** Half of the numbers are taken before the batch; nobody in it takes what another one has or gives up. */
const taken = ['t0', 't1', 't2', 't3']
const anAccount = fc.record({
  changes: fc.boolean(),
  takes: fc.option(fc.constantFrom(...taken), { nil: undefined }),
  name: fc.constantFrom('same', 'other'),
})

test('writing many objects at once has the same result as one by one, and each refusal says why', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anAccount, { maxLength: 12 }), async (batch) => {
      const outcomes: unknown[] = []
      for (const way of ['one by one', 'together']) {
        await clear()
        const { work } = world
        for (const id of taken) await make(work, id, 'taken')
        const before = await Promise.all(batch.map((_, n) => make(work, `b${n}`, 'same')))
        const results = await work.transaction(async (inside) => {
          await inside.store.lock(accounts, ...before.map(({ id }) => id))
          const writes = batch.map(({ changes, takes, name }, n): ObjectWrite<Fields> => {
            const row = before[n]
            if (!changes || !row) return { values: { registration_id: takes ?? `n${n}`, name } }
            return { before: row, changes: { name, ...(takes && { registration_id: takes }) } }
          })
          return way === 'together' ? writeMany(inside, accounts, [], writes) : oneByOne(inside, writes)
        })
        outcomes.push([results.map((outcome) => refusalOf(outcome)?.detail), await states(work)])
      }
      expect(outcomes[1]).toEqual(outcomes[0])
    }),
    { numRuns: tries(8, 25) },
  )
})

/** Versions apart: what changes nothing is not written by many, and a version more by one. */
const states = async (work: Work): Promise<Account[]> =>
  (await stored(work)).map(({ registration_id, name }) => ({ registration_id, name }))

const oneByOne = async (work: Work, writes: readonly ObjectWrite<Fields>[]) => {
  const results: unknown[] = []
  for (const write of writes) {
    try {
      await work.store.attempt(async () => {
        if ('before' in write) await change(work, accounts, [], write.before.id, write.changes)
        else await add(work, accounts, [], write.values)
      })
      results.push('written')
    } catch (error) {
      results.push(error)
    }
  }
  return results
}

test('an object without changes is not written', async () => {
  await clear()
  const row = await make(world.work, 'r1', 'Same')
  const write = (name: string) =>
    world.work.transaction(async (work) => {
      const [before] = await work.store.lockWhole(accounts, [row.id])
      if (!before) throw new Error('it is not there')
      return writeMany(work, accounts, [], [{ before, changes: { name } }])
    })
  expect(await write('Same')).toEqual(['unchanged'])
  expect(await stored(world.work)).toMatchObject([{ name: 'Same', version: 0 }])
  expect(await write('Other')).toEqual(['written'])
  expect(await stored(world.work)).toMatchObject([{ name: 'Other', version: 1 }])
})

test('a rule refuses only its own object', async () => {
  await clear()
  const parent_id = crypto.randomUUID()
  const results = await world.work.transaction((work) =>
    writeMany(work, accounts, [], [{ values: { name: 'Orphan', parent_id } }, { values: { name: 'Whole' } }]),
  )
  expect(results.map((outcome) => refusalOf(outcome)?.source)).toEqual(['data.parent_id', undefined])
  expect(await states(world.work)).toMatchObject([{ name: 'Whole' }])
})
