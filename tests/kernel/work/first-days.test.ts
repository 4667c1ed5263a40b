import { expect, test } from 'vitest'
import { app } from '../../../server/app.ts'
import { type Module, module } from '../../../server/kernel/module.ts'
import { prepareStores } from '../../../server/kernel/work/every-store.ts'
import { add } from '../../../server/kernel/write/by-rules.ts'
import { accountTags } from '../../../server/people/accounts/account-tags.ts'
import { openWorld } from '../../support/world.ts'

/** A chapter of a later version: every store has a tag of its own from its first day. */
const later: Module = module({
  name: 'later',
  about: 'A chapter of the tests.',
  firstDay: async (work) => void (await add(work, accountTags, [], { name: 'From the first day' })),
})

test('existing stores get the first-day objects of a new module once, also when processes start together', async () => {
  const world = await openWorld({ alone: true })
  try {
    const modules = [...app, later]
    await Promise.all([1, 2, 3, 4].map(() => prepareStores(world.server.instance, modules)))
    await prepareStores(world.server.instance, modules)
    for (const client of [world.admin, world.other]) {
      const { body } = await client.get('/v2/account-tags')
      expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['From the first day'])
      expect((await client.get('/v2/authentication-realms')).body.data).toHaveLength(3)
    }
  } finally {
    await world.close()
  }
})

test('a first day that fails is tried again at the next start', async () => {
  const world = await openWorld({ alone: true })
  try {
    let attempts = 0
    const failing = module({
      name: 'failing',
      about: 'A chapter of the tests.',
      firstDay: async (work) => {
        attempts += 1
        await add(work, accountTags, [], { name: `Attempt ${attempts}` })
        if (attempts === 1) throw new Error('not today')
      },
    })
    await expect(prepareStores(world.server.instance, [failing])).rejects.toThrow('not today')
    await prepareStores(world.server.instance, [failing])
    const tags = (await world.sql(`SELECT doc->>'name' AS name FROM account_tags ORDER BY name`)).rows
    expect(tags.map(({ name }) => name)).not.toContain('Attempt 1')
    expect(tags).toHaveLength(2)
  } finally {
    await world.close()
  }
})
