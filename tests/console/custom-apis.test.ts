import { describe, expect, test } from 'vitest'
import { type Design, fieldBody, questionsOf } from '../../console/src/screens/custom-apis/field-rules.ts'
import { faultOf, sampleOf, valueFor } from '../../console/src/screens/custom-apis/samples.ts'
import { changeOf, requestOf, type Tried } from '../../console/src/screens/custom-apis/trying.ts'
import { makeApi } from '../builders/fields/custom-apis.ts'
import { expectNoBarriers, hasChromium, look, openForTests, signInAt, titled } from './browser.ts'
import { signInAsNew } from './colleague-tab.ts'

const text: Design = { name: 'Size', slug: 'size', type: 'string', rules: { allow_null_values: true } }
const number: Design = { ...text, type: 'integer' }

test('the API is asked which entries break a rule where it has a filter, and only for rules that are new', () => {
  const strict = { ...number, rules: { min_value: 2, max_value: 9, allow_null_values: false } }
  expect(questionsOf(strict, number)).toEqual([
    { rule: 'min_value', breaking: 'lt(size,2)' },
    { rule: 'max_value', breaking: 'gt(size,9)' },
    { rule: 'allow_null_values', keeping: 'ge(size,-9007199254740991)' },
  ])
  expect(questionsOf(strict, strict)).toEqual([])
  expect(questionsOf({ ...text, rules: { regex: 'a', max_length: 3 } }, text)).toEqual([
    { rule: 'max_length' },
    { rule: 'regex' },
  ])
  // A new field has no values: all entries lack what it requires.
  expect(questionsOf(strict, undefined).map(({ known }) => known)).toEqual(['none', 'none', 'all'])
  const list: Design = { ...text, type: 'list', rules: { max_length: 2 } }
  expect(questionsOf(list, { ...list, rules: {} })).toEqual([
    { rule: 'max_length', breaking: 'gt(size.length,2)' },
  ])
})

test('a sample is refused for the first rule that it breaks', () => {
  const short = { ...text, rules: { max_length: 2, allow_null_values: false } }
  const isLower = (one: string) => /^[a-z]+$/.test(one)
  expect(faultOf(short, sampleOf('string', 'abc'), isLower)).toBe('max_length')
  expect(faultOf(short, sampleOf('string', 'AB'), isLower)).toBe('regex')
  expect(faultOf(short, sampleOf('string', '👍👍'), undefined)).toBe(undefined)
  expect(faultOf(short, sampleOf('string', ''), isLower)).toBe('allow_null_values')
  expect(faultOf(number, sampleOf('integer', '1.5'), undefined)).toBe('type')
  const list: Design = { ...text, type: 'list', rules: { allowed_type: 'integer', min_length: 1 } }
  expect(faultOf(list, sampleOf('list', '[1, "2"]'), undefined)).toBe('allowed_type')
  expect(faultOf(list, sampleOf('list', '[]'), undefined)).toBe('min_length')
  for (const type of ['string', 'integer', 'float', 'boolean', 'list', 'any'] as const) {
    const design: Design = {
      ...text,
      type,
      rules: { min_length: 3, max_length: 8, min_value: 4, max_value: 5 },
    }
    expect([type, faultOf(design, valueFor(design, 1), undefined)]).toEqual([type, undefined])
  }
})

test('a new field is sent with all rules of its type, and a change with what is other than before', () => {
  const data = { type: 'custom_field', name: 'Size', slug: 'size' }
  expect(fieldBody(number, undefined)).toEqual({
    data: {
      ...data,
      field_type: 'integer',
      validation: {
        integer: { min_value: null, max_value: null, allow_null_values: true, immutable: false },
      },
    },
  })
  expect(fieldBody(number, number)).toEqual({ data })
  expect(fieldBody({ ...number, rules: { ...number.rules, max_value: 2 } }, number)).toEqual({
    data: { ...data, validation: { integer: { max_value: 2 } } },
  })
})

test('the step that provokes a 412 has the version from before the change', () => {
  const fields = [{ slug: 'fixed', field_type: 'any', validation: { any: { immutable: true } } }]
  expect(changeOf('x_ext', fields)).toBe(undefined)
  const bodies = { created: {}, change: {} }
  const step = { request: { path: '' }, faults: [] }
  const created: Tried = { ...step, step: 'create', status: 201, id: '7', etag: 'W/"a"' }
  expect(requestOf('conflict', '/x', [created], bodies)).toBe(undefined)
  const changed: Tried = { ...step, step: 'change', status: 200, id: '7', etag: 'W/"b"' }
  expect(requestOf('conflict', '/x', [created, changed], bodies)?.headers).toEqual({ 'if-match': 'W/"a"' })
  expect(requestOf('change', '/x', [created, changed], bodies)?.headers).toEqual({ 'if-match': 'W/"b"' })
})

describe.runIf(hasChromium)(titled('the screen of a custom API'), () => {
  let api: Awaited<ReturnType<typeof makeApi>>
  const opened = openForTests(async ({ admin }) => {
    api = await makeApi(admin, { title: ['string', { max_length: 20 }] }, { name: 'Registries' })
    await api.create({ title: 'Before there were guests'.slice(0, 20) })
    api.ids.guests = (await api.addField('guests', 'integer')).body.data.id
    for (const guests of [1, 5, 12, 40]) await api.create({ title: `Of ${guests}`, guests })
  })

  test('a rule says which entries would fail before it is saved; policies say what shoppers can do; a try ends in a 412', async () => {
    const { page } = opened.tab
    const dialog = page.getByRole('dialog')
    await signInAt(opened.tab, opened.world, api.settings)
    await page.getByRole('row', { name: /title/ }).getByText('Longest length: 20').waitFor()
    await expectNoBarriers(opened.tab, 'the fields of a custom API')
    await page.getByRole('button', { name: 'Change guests' }).click()
    await dialog.getByLabel('Largest value').fill('10')
    await dialog.getByText('2 of 5 entries would fail “Largest value: 10”.').waitFor()
    await dialog.getByLabel('May be empty (null)').uncheck()
    await dialog.getByText('1 of 5 entries would fail: they have no value.').waitFor()
    await dialog.getByLabel('Smallest value').fill('11')
    await dialog.getByText('must be less than max_value').waitFor()
    await dialog.getByLabel('Smallest value').fill('1')
    await dialog.getByText('None of 5 entries breaks').waitFor()
    await dialog.getByText('The server would accept this definition.').waitFor()
    await expectNoBarriers(opened.tab, 'the window of a field')
    await dialog.getByRole('button', { name: 'Save the field' }).press('Enter')
    await page
      .getByRole('row', { name: /guests/ })
      .getByText('required')
      .waitFor()
    await page.getByRole('button', { name: 'Add a field' }).click()
    await dialog.getByLabel('Name', { exact: true }).fill('Colour')
    await dialog.getByLabel('Name in the API').fill('colour')
    await dialog.getByLabel('Sample values').fill('#a0b1c2\nred')
    await dialog.getByLabel('Regular expression').fill('^#(?=[0-9])')
    await dialog.getByText('invalid or unsupported Perl syntax').waitFor()
    await dialog.getByLabel('Regular expression').fill('^#[0-9a-f]{6}$')
    await dialog.getByText('red: refused').waitFor()
    await dialog.getByText('#a0b1c2: accepted').waitFor()
    await dialog.getByRole('button', { name: 'Save the field' }).click()
    await page.getByRole('row', { name: /colour/ }).waitFor()

    await page.getByRole('tab', { name: 'Who may' }).click()
    await page.getByText('Entries have no owner.').waitFor()
    await page.getByRole('checkbox', { name: 'Guest Shopper: List' }).check()
    await page.getByText('Can see all of 5 entries.').waitFor()
    await page.getByRole('checkbox', { name: 'Guest Shopper: Change' }).check()
    await page.getByText('Can change or delete the entries of others.').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The policies have been saved.').waitFor()
    await page.getByRole('checkbox', { name: 'Guest Shopper: Change' }).uncheck()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect
      .poll(async () => {
        const { body } = await opened.world.admin.get(
          `/v2/permissions/custom-api-role-policies?filter=eq(custom_api_id,${api.id})`,
        )
        return body.data.map((one: Record<string, boolean>) => [one.list, one.read, one.update])
      })
      .toEqual([[true, false, false]])
    await page.getByText('The policies have been saved.').waitFor()
    await expectNoBarriers(opened.tab, 'the policies of a custom API')
    await look(opened.tab, 'dark', 390)

    await page.getByRole('tab', { name: 'Try' }).click()
    await page.getByLabel('New entry').fill(JSON.stringify(api.entry({ title: 'Try', guests: 3 })))
    const step = async (name: string, status: number) => {
      await page.getByRole('button', { name }).click()
      const region = page.getByRole('region', { name })
      await region.getByText(`Status: ${status}`).waitFor()
      return region
    }
    await (await step('1. Create it', 201)).getByText('the same as in the ETag').waitFor()
    const { body } = await opened.world.admin.get(`${api.entries}?page[limit]=1`)
    await page.getByText(`W/"${body.data[0].meta.etag_id}"`).waitFor()
    await step('2. Read it', 200)
    await (await step('3. Change it with If-Match', 200)).getByText('If-Match had the version').waitFor()
    await (await step('4. Change it again with the old ETag', 412)).getByText('As curl').click()
    await page.getByText(`If-Match: W/"${body.data[0].meta.etag_id}"`).last().waitFor()
    await expectNoBarriers(opened.tab, 'a try on a telephone')
    await step('5. Delete it', 204)
    expect((await opened.world.admin.get(`${api.entries}/${body.data[0].id}`)).status).toBe(404)
  })

  test('who may only read has no buttons, and is told why', async () => {
    const { page } = opened.tab
    await signInAsNew(opened.tab, opened.world, 'Support', api.settings)
    await page.getByText('The role Support may not change fields.').waitFor()
    expect(await page.getByRole('button', { name: 'Change guests' }).count()).toBe(0)
    await page.getByRole('tab', { name: 'Try' }).click()
    await page.getByText('The role Support may not write entries.').waitFor()
    await page.getByRole('tab', { name: 'Who may' }).click()
    await page.getByText(/The role Support may not (change|read) policies\./).waitFor()
  })
})
