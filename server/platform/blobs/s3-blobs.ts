import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { StartupError, Unavailable } from '../faults.ts'
import { type BlobEntry, type Blobs, isBlobName, mustBeBlobName } from './blobs.ts'
import { draftsName, forgetDrafts, writeDraft } from './drafts.ts'
import { exactPart, otherContent } from './exact-part.ts'

/** The address of the bucket, and the credentials. */
export interface Bucket {
  readonly name: string
  readonly region: string
  /** For storage other than Amazon's. */
  readonly endpoint: string | undefined
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** How long the storage may take. */
interface StorageLimits {
  readonly startingMs: number
  readonly connectingMs: number
  /** For a response, or the next part of a content. */
  readonly answeringMs: number
}

const usualLimits: StorageLimits = { startingMs: 10_000, connectingMs: 5_000, answeringMs: 30_000 }

/** A content may take longer if it comes, or goes, at least so fast. */
const bytesPerMsMin = 64

/** Blobs as objects in a bucket, which must exist. Drafts are in a local directory. */
export async function s3Blobs(bucket: Bucket, directory: string, limits = usualLimits): Promise<Blobs> {
  // Imported here because it is large, and only this code needs it.
  const s3 = await import('@aws-sdk/client-s3')
  const { name: Bucket, region, endpoint, accessKeyId, secretAccessKey } = bucket
  const drafts = join(directory, draftsName)
  const client = new s3.S3Client({
    region,
    credentials: { accessKeyId, secretAccessKey },
    ...(endpoint && { endpoint, forcePathStyle: true }),
    // Some storage does not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Its `requestTimeout` only logs a warning, and counts the time of an upload.
    requestHandler: { connectionTimeout: limits.connectingMs },
  })
  const abortSignal = AbortSignal.timeout(limits.startingMs)
  await mustBeUsable(client.send(new s3.HeadBucketCommand({ Bucket }), { abortSignal }), bucket)
  /** The time for a request that sends so many bytes, with all its attempts. */
  const within = (bytes = 0) => ({
    abortSignal: AbortSignal.timeout(Math.ceil(limits.answeringMs + bytes / bytesPerMsMin)),
  })
  const at = (name: string) => ({ Bucket, Key: mustBeBlobName(name) })

  const get = async (name: string, range: { Range?: string } = {}): Promise<StoredObject | undefined> => {
    const command = new s3.GetObjectCommand({ ...at(name), ...range })
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), limits.answeringMs)
    const asked = client.send(command, { abortSignal: late.signal }).finally(() => clearTimeout(timer))
    const got = await answered(asked, 'NoSuchKey')
    if (!got) return undefined
    const { Body, ContentEncoding = '', ContentLength, ContentRange } = got
    const [encoding] = /\b(?:gzip|br|deflate)\b/.exec(ContentEncoding) ?? []
    return {
      body: inTime(Body as Readable, limits.answeringMs),
      encoding,
      length: ContentLength,
      range: ContentRange,
    }
  }

  return {
    async draft(content) {
      const { path, bytes } = await writeDraft(drafts, content)
      const discard = () => rm(path, { force: true })
      return {
        bytes,
        async keep(name) {
          const object = { ...at(name), Body: createReadStream(path), ContentLength: bytes }
          await answered(client.send(new s3.PutObjectCommand(object), within(bytes)))
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
        // Some storage ignores ranges or returns wrong ones, so the part is cut from the whole.
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
      await answered(client.send(new s3.DeleteObjectCommand(at(name)), within()), 'NoSuchKey')
    },

    async *list(): AsyncGenerator<BlobEntry> {
      for (let ContinuationToken: string | undefined, isLast = false; !isLast; ) {
        const command = new s3.ListObjectsV2Command({ Bucket, ContinuationToken })
        const { Contents = [], NextContinuationToken } = await client.send(command, within())
        for (const { Key = '', Size = 0, LastModified } of Contents)
          if (isBlobName(Key) && LastModified) yield { name: Key, bytes: Size, since: LastModified }
        ContinuationToken = NextContinuationToken
        isLast = !NextContinuationToken
      }
    },

    forgetDrafts: (since) => forgetDrafts(drafts, since),
    close: () => client.destroy(),
  }
}

interface StoredObject {
  readonly body: Readable
  /** The compression that a proxy has added; objects are stored without one. */
  readonly encoding: string | undefined
  readonly length: number | undefined
  readonly range: string | undefined
}

/** Fails if the storage sends nothing for so long, or sends too slowly. How fast the client reads does not count. */
function inTime(source: Readable, stalledMaxMs: number): Readable {
  const chunks = source.iterator({ destroyOnReturn: true })
  const giveUp = () => void source.destroy(unavailable(`no content within ${stalledMaxMs} ms`))
  async function* read() {
    for (let leftMs = stalledMaxMs; ; ) {
      const beganMs = performance.now()
      const timer = setTimeout(giveUp, leftMs)
      const { value, done } = await chunks.next().finally(() => clearTimeout(timer))
      if (done) return
      const chunk = value as Buffer
      leftMs -= performance.now() - beganMs
      leftMs = Math.max(1, Math.min(stalledMaxMs, leftMs + chunk.length / bytesPerMsMin))
      yield chunk
    }
  }
  return Readable.from(read(), { objectMode: false }).once('close', () => source.destroy())
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
    throw new StartupError(`the bucket ${name}${where} (SUTLER_S3_BUCKET) cannot be used: ${reasonOf(error)}`)
  }
}

/** Awaits the response of the storage; undefined if it is this fault. Without a response the storage is unavailable. */
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

/** Leaves out the request, since it is signed. */
function reasonOf(error: unknown): string {
  const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } }
  return [name, $metadata?.httpStatusCode, message].filter(Boolean).join(' ')
}
