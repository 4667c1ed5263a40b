import type { Database } from '../../server/kernel/storage/database.ts'
import { type Blobs, blobName } from '../../server/platform/blobs/blobs.ts'
import type { Progress } from '../progress.ts'
import { type CheckResult, Findings } from './check.ts'

const page = 10_000

/** Compares the uploaded files with what is stored of them: each has its content, in its size. */
export async function checkFiles(database: Database, blobs: Blobs, progress: Progress): Promise<CheckResult> {
  const findings = new Findings(progress)
  // First the rows: what is uploaded meanwhile is not looked for.
  const sizes = new Map<string, number>()
  for (let last: readonly [string, string] = [first, first]; ; ) {
    const rows = await database.run({
      text: `SELECT store_id, id, doc->>'file_size' FROM files WHERE (store_id, id) > ($1, $2)
        AND (doc->>'file_size')::bigint > 0 ORDER BY store_id, id LIMIT ${page}`,
      values: last,
      long: true,
    })
    for (const [store, id, bytes] of rows) sizes.set(blobName(store as string, id as string), Number(bytes))
    const [store, id] = rows.at(-1) ?? []
    if (rows.length < page || store == null || id == null) break
    last = [store, id]
  }
  const all = sizes.size
  let done = 0
  for await (const { name, bytes } of blobs.list()) {
    const expected = sizes.get(name)
    if (expected === undefined) continue
    sizes.delete(name)
    const wrong = expected === bytes ? [] : [`file ${name}: it has ${bytes} bytes in place of ${expected}`]
    findings.add('files', 1, wrong, ++done / all)
  }
  const missing = [...sizes.keys()].map((name) => `file ${name}: its content is missing`)
  findings.add('files', missing.length, missing, 1)
  return findings.result
}

const first = '00000000-0000-0000-0000-000000000000'
