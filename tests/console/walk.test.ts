import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { requestsOf, verdictOf, walkPath, waysOf } from '../../console/src/lists/walk.ts'
import { codeLanguages, walkCode } from '../../console/src/lists/walk-code.ts'
import { makeApi } from '../builders/fields/custom-apis.ts'
import { expectNoBarriers, hasChromium, look, openForTests, signInAt, titled } from './browser.ts'

const run = promisify(execFile)

const interpreters = {
  shell: ['sh', '-c'],
  typescript: [process.execPath, '--input-type=module-typescript', '-e'],
  python: ['python3', '-c'],
} as const

test('a list has the ways that its order and its filters allow, and each says what it costs', () => {
  const filter = { id: { type: 'uuid', operators: ['gt'] } } as const
  expect(waysOf({ sort: ['id'], filter })).toEqual(['export', 'ids', 'cursor'])
  expect(waysOf({ sort: ['name'], filter })).toEqual(['export', 'cursor'])
  expect((['export', 'ids', 'cursor'] as const).map((way) => requestsOf(way, 40_112))).toEqual([1, 403, 402])
  const list = { listPath: '/v2/x', sort: 'id', filter: 'eq(a,1)|eq(a,2)' }
  expect(new URLSearchParams(walkPath('ids', list, '7').split('?')[1]).get('filter')).toBe(
    '(eq(a,1)|eq(a,2)):gt(id,7)',
  )
})

test('a walk is complete only if it came to its end, and nothing could move', () => {
  const whole = { read: 3, requests: 1, first: 3 }
  const [byId, own] = [{ listPath: '/v2/x', sort: 'id' }, { listPath: '/v2/x' }]
  expect(verdictOf('export', own, whole, 'end')).toEqual({ isComplete: true, why: 'oneMoment' })
  expect(verdictOf('export', own, { ...whole, read: 2 }, 'end')).toEqual({ isComplete: false, why: 'short' })
  expect(verdictOf('ids', byId, whole, 'end')).toEqual({ isComplete: true, why: 'byId' })
  expect(verdictOf('cursor', own, whole, 'end')).toEqual({ isComplete: false, why: 'ownOrder' })
  expect(verdictOf('ids', byId, whole, 'stopped')).toEqual({ isComplete: false, why: 'stopped' })
})

describe.runIf(hasChromium)(titled('the window that reads a list as a whole'), () => {
  let things: Awaited<ReturnType<typeof makeApi>>
  const opened = openForTests(async ({ admin }) => {
    things = await makeApi(admin, { title: ['string'] }, { name: 'Things' })
    for (let n = 0; n < 102; n++) await things.create({ title: n % 2 ? "odd, it's" : 'even' })
  })

  test('every way reads the same in the page and as a program, and says why it is complete', async () => {
    const { page } = opened.tab
    const filter = '(eq(title,even)|eq(title,"odd, it\'s"))'
    await signInAt(opened.tab, opened.world, `${things.entries}?filter=${encodeURIComponent(filter)}`)
    await page.getByText('102 entries').waitFor()
    await page.getByRole('button', { name: 'Read it all' }).click()
    const dialog = page.getByRole('dialog')
    const result = dialog.getByRole('region', { name: 'What was read' })
    for (const [way, requests, why] of [
      ['Export', 1, 'There are as many as the server announced'],
      ['By id', 3, 'in the order of ids'],
      ['By cursor', 2, 'in the order of ids'],
    ] as const) {
      await dialog.getByRole('radio', { name: way }).check()
      await dialog.getByText(`This list: ${requests} request`).waitFor()
      await dialog.getByRole('button', { name: 'Read it here' }).click()
      await result.getByText(why).waitFor()
      await result.getByText('Yes.').waitFor()
      await result.getByText('102', { exact: true }).waitFor()
      expect(await result.getByRole('definition').nth(1).innerText()).toBe(String(requests))
      await result.getByText(way === 'Export' ? '/v2/changes?page[after]=' : 'ge(updated_at,').waitFor()
    }
    await expectNoBarriers(opened.tab, 'the window of a walk')
    await look(opened.tab, 'light', 390)
    // A walk that breaks off says so, and where it goes on.
    const refusal = { errors: [{ title: 'Bad Request', status: '400', detail: 'Not now.' }] }
    await page.route(/gt(%28|\()id/, (route) => route.fulfill({ status: 400, json: refusal }))
    await dialog.getByRole('radio', { name: 'By id' }).check()
    await dialog.getByRole('button', { name: 'Read it here' }).click()
    await result.getByText('A request failed.').waitFor()
    await result.getByText('It goes on with').waitFor()
    await expectNoBarriers(opened.tab, 'the window of a walk on a telephone')
  })

  test('the programs write every object once, in every language', async () => {
    const { world } = opened
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: world.key.id,
      client_secret: world.key.secret,
    })
    const response = await fetch(`${world.url}/oauth/access_token`, { method: 'POST', body })
    const { access_token: TOKEN } = (await response.json()) as { access_token: string }
    const env = { ...process.env, TOKEN }
    const has = async (program: string) => run('which', [program]).then(Boolean, () => false)
    const canShell = (await has('jq')) && (await has('curl'))
    const ways = ['export', 'ids', 'cursor'] as const
    const filter = '(eq(title,even)|eq(title,"odd, it\'s"))'
    const list = { listPath: things.entries, sort: 'id', filter }
    for (const language of codeLanguages)
      for (const way of ways) {
        if (language === 'shell' && !canShell) continue
        if (language === 'python' && !(await has('python3'))) continue
        const [command, ...options] = interpreters[language]
        const code = walkCode(language, way, list, world.url)
        const { stdout } = await run(command, [...options, code], { env })
        const ids = stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).id)
        expect([language, way, ids.length, new Set(ids).size]).toEqual([language, way, 102, 102])
      }
  })
})
