import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { StartupError, Unavailable } from '../faults.ts'
import { type BlobEntry, type Blobs, isBlobName, mustBeBlobName } from './blobs.ts'
import { draftsName, forgetDrafts, writeDraft } from './drafts.ts'
import { exactPart, otherContent } from './exact-part.ts'

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

  const get = async (name: string, range: { Range?: string } = {}): Promise<StoredObject | undefined> => {
    const got = await answered(client.send(new s3.GetObjectCommand({ ...at(name), ...range })), 'NoSuchKey')
    if (!got) return undefined
    const { Body, ContentEncoding = '', ContentLength, ContentRange } = got
    const [encoding] = /\b(?:gzip|br|deflate)\b/.exec(ContentEncoding) ?? []
    return { body: Body as Readable, encoding, length: ContentLength, range: ContentRange }
  }

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

    async read(name, bytes, part) {
      if (part && bytes !== undefined) {
        const object = await get(name, { Range: `bytes=${part.first}-${part.last}` })
        if (!object) return undefined
        const range = `bytes ${part.first}-${part.last}/${bytes}`
        if (object.encoding === undefined && object.range === range)
          return exactPart(object.body, name, bytes, part, part.first)
        // Not every store answers parts, or the right ones: this one is cut out of the whole.
        object.body.destroy()
      }
      const object = await get(name)
      if (!object || bytes === undefined) return object && decoded(object)
      if (object.encoding === undefined && object.length !== undefined && object.length !== bytes) {
        object.body.destroy()
        throw otherContent(name, `${object.length} bytes`, bytes)
      }
      return exactPart(decoded(object), name, bytes, part ?? { first: 0, last: bytes - 1 })
    },

    async remove(name) {
      await answered(client.send(new s3.DeleteObjectCommand(at(name))), 'NoSuchKey')
    },

    async *list(): AsyncGenerator<BlobEntry> {
      for await (const { Contents = [] } of s3.paginateListObjectsV2({ client }, { Bucket })) {
        for (const { Key = '', LastModified } of Contents)
          if (isBlobName(Key) && LastModified) yield { name: Key, since: LastModified }
      }
    },

    forgetDrafts: (since) => forgetDrafts(drafts, since),
    close: () => client.destroy(),
  }
}

interface StoredObject {
  readonly body: Readable
  /** What a proxy in between has packed it with: it is not kept so. */
  readonly encoding: string | undefined
  readonly length: number | undefined
  readonly range: string | undefined
}

function decoded({ body, encoding }: StoredObject): Readable {
  if (encoding === undefined) return body
  const unpack = { gzip: createGunzip, br: createBrotliDecompress, deflate: createInflate }[encoding]
  return unpack ? pipeline(body, unpack(), () => {}) : body
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
  new Unavailable('File storage is not responding; try again.', { cause })

/** Without the request, which is signed. */
function reasonOf(error: unknown): string {
  const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } }
  return [name, $metadata?.httpStatusCode, message].filter(Boolean).join(' ')
}
