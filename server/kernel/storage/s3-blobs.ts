import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Problem, StartupError } from '../errors.ts'
import { type Blobs, isBlobName, type Kept, mustBeBlobName } from './blobs.ts'
import { draftsName, forgetDrafts, writeDraft } from './drafts.ts'

/** Where the bucket is, and who we are there. */
export interface Bucket {
  readonly name: string
  readonly region: string
  /** Of a store that is not Amazon's. */
  readonly endpoint: string | undefined
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const waitMaxMs = { connecting: 5_000, answering: 30_000 }

/** Blobs as objects of a bucket that must be there to start; drafts are in a directory of this machine. */
export async function s3Blobs(bucket: Bucket, directory: string): Promise<Blobs> {
  // Only who uses it waits for it: it is large.
  const s3 = await import('@aws-sdk/client-s3')
  const { name: Bucket, region, endpoint, accessKeyId, secretAccessKey } = bucket
  const drafts = join(directory, draftsName)
  const client = new s3.S3Client({
    region,
    credentials: { accessKeyId, secretAccessKey },
    ...(endpoint && { endpoint, forcePathStyle: true }),
    // Not every store knows the newer ones.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: waitMaxMs.connecting, requestTimeout: waitMaxMs.answering },
  })
  await mustBeUsable(client.send(new s3.HeadBucketCommand({ Bucket })), bucket)
  const at = (name: string) => ({ Bucket, Key: mustBeBlobName(name) })

  return {
    async draft(content) {
      const { path, bytes } = await writeDraft(drafts, content)
      const discard = () => rm(path, { force: true })
      return {
        bytes,
        async keep(name) {
          const object = { ...at(name), Body: createReadStream(path), ContentLength: bytes }
          await answered(client.send(new s3.PutObjectCommand(object)))
          await discard()
        },
        discard,
      }
    },

    async read(name, part) {
      const range = part && { Range: `bytes=${part.first}-${part.last}` }
      const get = client.send(new s3.GetObjectCommand({ ...at(name), ...range }))
      const found = await answered(get, 'NoSuchKey')
      const body = found?.Body as Readable | undefined
      if (body && part && found?.ContentLength !== part.last - part.first + 1) {
        body.destroy()
        throw unavailable('it answered another part than it was asked for')
      }
      return body
    },

    async remove(name) {
      await answered(client.send(new s3.DeleteObjectCommand(at(name))), 'NoSuchKey')
    },

    async *list(): AsyncGenerator<Kept> {
      for await (const { Contents = [] } of s3.paginateListObjectsV2({ client }, { Bucket })) {
        for (const { Key = '', LastModified } of Contents)
          if (isBlobName(Key) && LastModified) yield { name: Key, since: LastModified }
      }
    },

    forgetDrafts: (since) => forgetDrafts(drafts, since),
    close: () => client.destroy(),
  }
}

async function mustBeUsable(look: Promise<unknown>, { name, endpoint }: Bucket): Promise<void> {
  try {
    await look
  } catch (error) {
    const where = endpoint ? ` at ${endpoint}` : ''
    throw new StartupError(`the bucket ${name}${where} cannot be used: ${reasonOf(error)}`)
  }
}

/** What the store answers; undefined where the answer is this fault. Where it answers nothing, we cannot either. */
async function answered<T>(answer: Promise<T>, fault?: string): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (fault !== undefined && (error as Error).name === fault) return undefined
    throw unavailable(reasonOf(error))
  }
}

const unavailable = (cause: string) =>
  new Problem('unavailable', 'File storage is not responding; try again.', { cause })

/** Without the request, which is signed. */
function reasonOf(error: unknown): string {
  const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } }
  return [name, $metadata?.httpStatusCode, message].filter(Boolean).join(' ')
}
