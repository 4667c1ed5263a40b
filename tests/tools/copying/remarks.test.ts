import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { app } from '../../../server/app.ts'
import { systemClock } from '../../../server/kernel/clock.ts'
import { isPublic } from '../../../server/platform/sockets/addresses.ts'
import { compare } from '../../../tools/copying/compare.ts'
import { CopyState } from '../../../tools/copying/copy-state.ts'
import { Remote } from '../../../tools/copying/remote.ts'
import { CopyReport } from '../../../tools/copying/report.ts'
import { planOf } from '../../../tools/copying/steps.ts'
import { openFileAccess } from '../../../tools/file-access.ts'
import { type HostileServer, openHostileServer, sendJson } from './hostile-server.ts'

const plan = planOf(app.flatMap(({ operations }) => operations))
const files = openFileAccess(isPublic)

let server: HostileServer
let directory: string
beforeAll(async () => {
  server = await openHostileServer()
  directory = mkdtempSync(join(tmpdir(), 'sutler-copy-'))
})
afterAll(async () => {
  await server.close()
  files.close()
  rmSync(directory, { recursive: true })
})

/** Compares a server whose only objects are fields of these types with itself. */
async function compareFields(...types: readonly string[]) {
  server.answer = ({ url = '' }, response) => {
    const isFirst = url.startsWith('/v2/fields?') && /gt\(id,0/.test(decodeURIComponent(url))
    const fields = types.map((field_type, i) => ({
      id: `7a1f0c2e-0000-4000-8000-00000000000${i}`,
      ...{ type: 'field', field_type },
    }))
    sendJson(response, { data: isFirst ? fields : [] })
  }
  const state = new CopyState(join(directory, `${types.join('-')}.ndjson`), server.url, server.url)
  const remote = new Remote(
    { url: server.url, clientId: 'id', clientSecret: 'secret' },
    systemClock,
    1_000_000,
    files,
  )
  const report = new CopyReport()
  const copy = { from: remote, to: remote, state, report, say: () => {} }
  const { equal } = await compare(copy, plan, false)
  return { equal, lines: report.lines().join('\n') }
}

test('a comparison says that it does not compare links of relationship fields, where there are such fields', async () => {
  const { equal, lines } = await compareFields('string', 'relationship')
  expect(equal).toBe(2)
  expect(lines).toContain('links of fields of the type relationship are not copied and not compared')
  expect((await compareFields('string')).lines).not.toContain('relationship')
})
