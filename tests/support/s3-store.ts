import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import type { Bucket } from '../../server/platform/blobs/s3-blobs.ts'

/** An S3-compatible store on this machine, with one bucket. */
export interface S3Store {
  readonly bucket: Bucket
  /** What points a server at it. */
  readonly env: Readonly<Record<string, string>>
  close(): Promise<void>
}

// The only one it knows.
const accessKeyId = 'S3RVER'
const secretAccessKey = 'S3RVER'

export async function openS3Store(): Promise<S3Store> {
  const directory = mkdtempSync(join(tmpdir(), 'sutler-s3-'))
  const name = 'shop-files'
  const store = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    // It leaves the slash behind a bucket out of what it compares; who is not known is refused nevertheless.
    allowMismatchedSignatures: true,
    directory,
    configureBuckets: [{ name }],
  })
  const { port } = await store.run()
  const endpoint = `http://127.0.0.1:${port}`
  return {
    bucket: { name, region: 'us-east-1', endpoint, accessKeyId, secretAccessKey },
    env: {
      SUTLER_S3_BUCKET: name,
      SUTLER_S3_ENDPOINT: endpoint,
      SUTLER_S3_ACCESS_KEY_ID: accessKeyId,
      SUTLER_S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
    close: async () => {
      await store.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
