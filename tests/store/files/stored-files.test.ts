import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forgetOrphans } from '../../../server/store/files/files.ts'
import { png, upload, uploaded } from '../../builders/store/uploads.ts'
import { openS3Store, type S3Store } from '../../support/s3-store.ts'
import { openWorld, type World } from '../../support/world.ts'

let bucket: S3Store
beforeAll(async () => {
  bucket = await openS3Store()
})
afterAll(() => bucket.close())

const dayMs = 24 * 60 * 60_000

describe.each([
  ['on the disk', () => ({})],
  ['in a bucket', () => bucket.env],
])('files %s', (_, env) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ env: env() })
  })
  afterAll(() => world.close())

  const storedNames = async () => {
    const names: string[] = []
    for await (const { name } of world.server.instance.blobs.list()) names.push(name)
    return names
  }
  /** Does the chore as if so much time had passed. */
  const forget = (laterMs: number) => {
    const { instance } = world.server
    const clock = { now: () => new Date(instance.clock.now().getTime() + laterMs) }
    return forgetOrphans.run({ ...instance, clock })
  }

  test('are served whole and in parts, and removed with their content', async () => {
    const content = png(30, 40)
    const { id, link, meta } = await uploaded(world, { name: 'a.png', content })
    expect(meta.dimensions).toEqual({ width: 30, height: 40 })
    const whole = await fetch(link.href)
    expect([whole.status, Buffer.from(await whole.arrayBuffer()).equals(content)]).toEqual([200, true])
    expect(whole.headers.get('content-type')).toBe('image/png')
    const part = await fetch(link.href, { headers: { range: 'bytes=8-15' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 8-15/${content.length}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(content.subarray(8, 16))).toBe(true)
    const name = `${world.storeId}/${id}`
    expect(await storedNames()).toContain(name)
    expect((await world.admin.delete(`/v2/files/${id}`)).status).toBe(204)
    await expect.poll(storedNames, { timeout: 10_000 }).not.toContain(name)
  })

  test('leave nothing behind when they are refused', async () => {
    const before = (await storedNames()).sort()
    const texts = { file_location: 'https://example.com/a.png' }
    expect((await upload(world, { name: 'a.png', content: 'x', texts })).status).toBe(400)
    expect((await storedNames()).sort()).toEqual(before)
  })

  test('are deleted after a week if a crash left them without a row', async () => {
    const { blobs } = world.server.instance
    const keepAs = async (name: string) => {
      const draft = await blobs.draft([Buffer.from('left behind')] as never)
      await draft.keep(name)
      return name
    }
    const { id } = await uploaded(world, { name: 'a.txt', content: 'x' })
    const orphan = await keepAs(`${world.storeId}/${randomUUID()}`)
    const foreign = await keepAs(`${randomUUID()}/${randomUUID()}`)
    // Another store's row of this id is not this content's.
    const theirs = await uploaded(world, { name: 'b.txt', content: 'x' }, world.other)
    const misplaced = await keepAs(`${world.storeId}/${theirs.id}`)
    await forget(7 * dayMs - 60_000)
    expect(await storedNames()).toEqual(expect.arrayContaining([orphan, misplaced]))
    await forget(7 * dayMs + 60_000)
    const left = await storedNames()
    expect(left).toEqual(expect.arrayContaining([`${world.storeId}/${id}`, foreign]))
    expect(left.filter((name) => name === orphan || name === misplaced)).toEqual([])
    expect(left.some((name) => name.endsWith(theirs.id))).toBe(true)
    await blobs.remove(foreign)
  })
})
