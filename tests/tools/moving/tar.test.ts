import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { BrokenArchive, readTar, TarWriter, wholeOf } from '../../../tools/moving/tar.ts'

const directory = mkdtempSync(join(tmpdir(), 'sutler-tar-'))
afterAll(() => rmSync(directory, { recursive: true }))

const contents: Readonly<Record<string, Buffer>> = {
  'store.json': Buffer.from('{}\n'),
  'tables/accounts/000001.ndjson': Buffer.alloc(512, 'a'),
  'tables/accounts/000002.ndjson': Buffer.alloc(2_500_001, 'ü'),
  'files/empty': Buffer.alloc(0),
}

async function write(path: string): Promise<void> {
  const file = await open(path, 'w')
  const tar = new TarWriter(file)
  for (const [name, content] of Object.entries(contents)) {
    if (content.length > 1000) await tar.addStream(name, content.length, halves(content))
    else await tar.add(name, content)
  }
  await tar.end()
  await file.close()
}

async function* halves(content: Buffer) {
  yield content.subarray(0, 1000)
  yield content.subarray(1000)
}

async function read(path: string): Promise<Record<string, Buffer>> {
  const file = await open(path)
  const found: Record<string, Buffer> = {}
  try {
    for await (const { name, content } of readTar(file, () => {})) found[name] = await wholeOf(content)
  } finally {
    await file.close()
  }
  return found
}

test('what was written is read, by the system’s own tar too', async () => {
  const path = join(directory, 'whole.tar')
  await write(path)
  expect(await read(path)).toEqual(contents)
  expect(execFileSync('tar', ['tf', path], { encoding: 'utf8' }).trim().split('\n')).toEqual(
    Object.keys(contents),
  )
  const content = execFileSync('tar', ['xOf', path, 'tables/accounts/000002.ndjson'], {
    maxBuffer: 10_000_000,
  })
  expect(content.equals(contents['tables/accounts/000002.ndjson'] as Buffer)).toBe(true)
})

test.each(['zzzzzzzzzzz', '0000000zz12', '-0000000012', '           ', '99999999999'])(
  'a header whose size is %j is damaged',
  async (size) => {
    const path = join(directory, 'size.tar')
    await write(path)
    const bytes = readFileSync(path)
    bytes.write(size, 124, 'latin1')
    bytes.write('        ', 148, 'latin1')
    const sum = bytes.subarray(0, 512).reduce((some, byte) => some + byte, 0)
    bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
    writeFileSync(path, bytes)
    await expect(read(path)).rejects.toThrow(BrokenArchive)
  },
)

test('an archive that is cut off anywhere is refused', async () => {
  const path = join(directory, 'cut.tar')
  await write(path)
  const whole = readFileSync(path)
  for (const bytes of [0, 100, 512, 1100, 400_000, whole.length - 1024]) {
    const file = await open(path, 'w')
    await file.write(whole, 0, bytes)
    await file.close()
    await expect(read(path), `${bytes} bytes`).rejects.toThrow(BrokenArchive)
  }
})
