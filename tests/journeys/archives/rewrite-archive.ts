import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { endName } from '../../../tools/moving/archive-form.ts'
import { readTar, TarWriter, wholeOf } from '../../../tools/moving/tar.ts'

/** Copies an archive with another content of some entries, or with more entries at its end, under a valid hash. */
export async function rewriteArchive(
  from: string,
  to: string,
  change: (name: string, content: Buffer) => Buffer,
  more: Readonly<Record<string, Buffer>> = {},
): Promise<void> {
  const [source, target] = [await open(from), await open(to, 'w')]
  const tar = new TarWriter(target)
  const hash = createHash('sha256')
  const add = async (name: string, content: Buffer) => {
    hash.update(content)
    await tar.add(name, content)
  }
  for await (const entry of readTar(source, () => {})) {
    const content = await wholeOf(entry.content)
    if (entry.name !== endName) {
      await add(entry.name, change(entry.name, content))
      continue
    }
    for (const [name, extra] of Object.entries(more)) await add(name, extra)
    const end = { ...JSON.parse(content.toString()), sha256: hash.digest('hex') }
    await tar.add(endName, Buffer.from(JSON.stringify(end)))
  }
  await tar.end()
  await Promise.all([source.close(), target.close()])
}
