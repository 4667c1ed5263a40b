import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { png } from '../builders/store/uploads.ts'
import { expectNoBarriers, hasChromium, look, looksAt, openForTests, signInAt, titled } from './browser.ts'

const picture = { name: 'birch-stool.png', mimeType: 'image/png', buffer: png(40, 30) }

describe.runIf(hasChromium)(titled('uploads in the console'), () => {
  const opened = openForTests()
  const folder = mkdtempSync(join(tmpdir(), 'sutler-uploads-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const filesNamed = async (name: string) =>
    (await opened.world.admin.get(`/v2/files?filter=eq(file_name,${name})`)).body.data as { id: string }[]

  test.each(looksAt('a desk'))(
    'a picture is chosen, seen, sent and shown, in %s at %i px',
    async (colorScheme, width) => {
      await look(opened.tab, colorScheme, width)
      const { page } = opened.tab
      const name = `stool-${width}.png`
      await signInAt(opened.tab, opened.world, '/v2/files')
      await page.getByRole('button', { name: 'New' }).click()
      await page.getByLabel('File', { exact: true }).setInputFiles({ ...picture, name })
      await page.getByRole('img', { name: `Preview of ${name}` }).waitFor()
      await expectNoBarriers(opened.tab, 'the form of a file')
      await page.getByRole('button', { name: 'Upload' }).click()
      await page.getByRole('heading', { name }).waitFor()
      const shown = page.getByRole('img', { name: `Preview of ${name}` })
      await page.getByText('image/png').waitFor()
      expect(await shown.getAttribute('src')).toContain(`${opened.world.url}/files/`)
      await expectNoBarriers(opened.tab, 'a file')
      expect(await filesNamed(name)).toHaveLength(1)
    },
  )

  test('a file of a type that is not allowed, or that is too large, is refused in words', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, '/v2/files?form=new')
    const field = page.getByLabel('File', { exact: true })
    await field.setInputFiles({ ...picture, name: 'setup.exe' })
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByText('This file type is not supported').waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await expectNoBarriers(opened.tab, 'a refused file')
    const large = join(folder, 'large.png')
    writeFileSync(large, Buffer.alloc(9 * 1024 * 1024))
    await field.setInputFiles(large)
    await page.getByRole('button', { name: 'Upload' }).click()
    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.innerText()).toMatch(/at most 8\S* [KM]iB|at most 8[\d,.]+ bytes/)
    expect(await filesNamed('large.png')).toEqual([])
  })

  test('an upload says how far it is, and can be stopped', async () => {
    const { page } = opened.tab
    await signInAt(opened.tab, opened.world, '/v2/files?form=new')
    const network = await page.context().newCDPSession(page)
    const speed = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 100_000 }
    await network.send('Network.emulateNetworkConditions', speed)
    const slow = join(folder, 'slow.png')
    writeFileSync(slow, randomBytes(5_000_000))
    await page.getByLabel('File', { exact: true }).setInputFiles(slow)
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByText(/^[1-9]\d? % sent$/).waitFor()
    await expectNoBarriers(opened.tab, 'an upload')
    await page.getByRole('button', { name: 'Stop the upload' }).click()
    await page.getByText('The upload was stopped.').waitFor()
    await network.send('Network.emulateNetworkConditions', { ...speed, uploadThroughput: -1 })
    await network.detach()
    expect(await filesNamed('slow.png')).toEqual([])
    // What was chosen is still there.
    await page.getByLabel('File', { exact: true }).setInputFiles({ ...picture, name: 'again.png' })
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('heading', { name: 'again.png' }).waitFor()
  })

  test('a file is uploaded where one is chosen', async () => {
    const { page } = opened.tab
    const attributes = { name: 'Mug', sku: 'MUG', slug: 'mug', commodity_type: 'physical', status: 'live' }
    const { body } = await opened.world.admin.post('/pcm/products', { data: { type: 'product', attributes } })
    const path = `/pcm/products/${body.data.id}`
    await signInAt(opened.tab, opened.world, path)
    await page.getByRole('button', { name: 'Main image' }).click()
    const dialog = page.getByRole('dialog', { name: 'Main image' })
    await dialog.getByRole('button', { name: 'Upload a file' }).click()
    await dialog.getByLabel('File', { exact: true }).setInputFiles({ ...picture, name: 'mug.png' })
    await expectNoBarriers(opened.tab, 'an upload in a form')
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
    await dialog.getByRole('link', { name: 'mug.png' }).waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'hidden' })
    const [file] = await filesNamed('mug.png')
    const { data } = (await opened.world.admin.get(path)).body
    expect(data.relationships.main_image.data.id).toBe(file?.id)
  })
})
