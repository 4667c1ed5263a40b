import { access, constants, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartupError } from '../faults.ts'
import { type BlobEntry, type Blobs, isBlobName, mustBeBlobName } from './blobs.ts'
import { draftsName, forgetDrafts, storageFault, unlessGone, writeDraft } from './drafts.ts'
import { otherContent } from './exact-part.ts'

/** Blobs as files in a local directory, or in one that all processes share. */
export function diskBlobs(directory: string): Blobs {
  const drafts = join(directory, draftsName)
  const pathOf = (name: string) => join(directory, mustBeBlobName(name))
  return {
    async draft(content) {
      const { path, bytes } = await writeDraft(drafts, content)
      return {
        bytes,
        async keep(name) {
          const target = pathOf(name)
          try {
            await mkdir(dirname(target), { recursive: true, mode: 0o700 })
            await rename(path, target)
            await sync(dirname(target))
            await sync(directory)
          } catch (error) {
            throw storageFault(error)
          }
        },
        discard: () => rm(path, { force: true }),
      }
    },

    async read(name, bytes, part) {
      const file = await unlessGone(open(pathOf(name)), undefined)
      const size = bytes === undefined ? undefined : (await file?.stat())?.size
      if (size !== undefined && size !== bytes) {
        await file?.close()
        throw otherContent(name, `${size} bytes`, bytes as number)
      }
      return file?.createReadStream(part && { start: part.first, end: part.last })
    },

    remove: (name) => rm(pathOf(name), { force: true }),

    async *list(): AsyncGenerator<BlobEntry> {
      for (const owner of await unlessGone(readdir(directory), [])) {
        if (owner === draftsName) continue
        for (const id of await readdir(join(directory, owner)).catch(() => [])) {
          const name = `${owner}/${id}`
          if (!isBlobName(name)) continue
          const stats = await unlessGone(stat(join(directory, name)), undefined)
          if (stats) yield { name, bytes: stats.size, since: stats.mtime }
        }
      }
    },

    forgetDrafts: (since) => forgetDrafts(drafts, since),
    close: () => {},
  }
}

/** Refuses to start where no file could be stored, as for a bucket that is not there. */
export async function mustBeWritable(directory: string, setting: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new StartupError(
      `cannot store files in ${directory} (${setting}): ${(error as Error).message}. Make it a directory that this process can write to`,
    )
  }
}

/** Makes new entries of a directory survive a power cut. */
async function sync(path: string): Promise<void> {
  const directory = await open(path)
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
