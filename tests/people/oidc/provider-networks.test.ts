import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Instance } from '../../../server/kernel/work/context.ts'
import { providerFetchOf } from '../../../server/people/oidc/provider-fetch.ts'
import { oidcProfile, realmsOf } from '../../builders/people/realms.ts'
import { loginPath, loginQuery, openIn, profileAt } from '../../builders/people/sign-in.ts'
import { startForger } from '../../support/oidc-provider.ts'
import { openWorld, type World } from '../../support/world.ts'

/** Something else on this machine, that no one who manages a store is to reach. */
let neighbour: Server
let port: number
let reached = 0
beforeAll(async () => {
  neighbour = createServer((_request, response) => response.end('{}'))
  neighbour.on('connection', () => reached++)
  await new Promise<void>((done) => neighbour.listen(0, done))
  port = (neighbour.address() as AddressInfo).port
})
afterAll(() => neighbour.close())

const closedPort = 1

/** What a storefront is told, and what the log. */
async function startAt(world: World, realm: string, discovery_url: string) {
  const warn = vi.spyOn(world.server.instance.log, 'warn')
  const profiles = `/v2/authentication-realms/${realm}/oidc-profiles`
  const { body } = await world.admin.post(profiles, oidcProfile({ discovery_url }))
  const { location } = await openIn(`${world.url}${loginPath(world, realm)}?${loginQuery(body.data.id)}`)
  const logged = JSON.stringify(warn.mock.calls)
  warn.mockRestore()
  return { answer: location?.searchParams.toString(), logged }
}

test('the server connects only to public addresses, and the log names the setting that allows others', async () => {
  const world = await openWorld({ env: { SUTLER_PROVIDER_NETWORKS: '' } })
  const realm = (await realmsOf(world.admin)).customers
  await profileAt(world, realm, 'https://id.example.com/')
  const before = reached
  const answers = new Set<string | undefined>()
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '127.1', '[::ffff:127.0.0.1]', '0.0.0.0', '[::]']) {
    for (const scheme of ['http', 'https']) {
      const { answer, logged } = await startAt(world, realm, `${scheme}://${host}:${port}/`)
      answers.add(answer)
      if (/^(127|loc|\[::1)/.test(host)) expect(logged).toContain('SUTLER_PROVIDER_NETWORKS=loopback')
    }
  }
  expect(reached).toBe(before)
  answers.add((await startAt(world, realm, `https://127.0.0.1:${closedPort}/`)).answer)
  expect(answers.size).toBe(1)
  await world.close()
})

test('only the log tells an open port from a closed one, in networks that are allowed', async () => {
  const world = await openWorld({ alone: true })
  const realm = (await realmsOf(world.admin)).customers
  const provider = await startForger()
  await profileAt(world, realm, provider.discoveryUrl)
  const open = await startAt(world, realm, `http://127.0.0.1:${port}/`)
  const tls = await startAt(world, realm, `https://localhost:${port}/`)
  const closed = await startAt(world, realm, `http://127.0.0.1:${closedPort}/`)
  expect(reached).toBeGreaterThan(0)
  expect(new Set([open.answer, tls.answer, closed.answer]).size).toBe(1)
  expect(closed.logged).toContain('ECONNREFUSED')
  expect(open.logged).not.toContain('ECONNREFUSED')
  await provider.close()
  await world.close()
})

test('the address behind a name is checked at each connection', async () => {
  let allowed = true
  const fetch = providerFetchOf({ mayConnect: () => allowed } as unknown as Instance)
  const url = `http://localhost:${port}/`
  expect((await fetch(url)).status).toBe(200)
  neighbour.closeAllConnections()
  allowed = false
  const before = reached
  await expect(fetch(url)).rejects.toThrow('localhost is at')
  expect(reached).toBe(before)
})
