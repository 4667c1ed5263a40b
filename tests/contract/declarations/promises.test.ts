import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sutlerApi } from '../../../server/api-document.ts'
import { guestBody } from '../../builders/orders/buying.ts'
import { operations, Samples } from '../../builders/samples.ts'
import { formOf, operationsOf } from '../../support/document/examples.ts'
import { Schemas } from '../../support/document/schemas.ts'
import { openWorld, type World } from '../../support/world.ts'

/** What the API document accepts, the server accepts, and the reverse: inputs that they once saw differently. */

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld()
  samples = new Samples(world.admin, world.work)
})
afterAll(() => world.close())

// biome-ignore lint/suspicious/noExplicitAny: documents are looked into by name.
type Node = any

const document: Node = sutlerApi()
const schemas = new Schemas(document.components)
const documented = operationsOf(document)

const accepts = (schema: Node, value: unknown) => schemas.fault(schema, value, 'open') === undefined

async function callOf(id: string) {
  const operation = operations.find((one) => one.id === id)
  if (!operation) throw new Error(`There is no operation ${id}`)
  return { method: operation.method, ...(await samples.call(operation)) }
}

const rulePromotion = (rules: unknown) => ({
  data: {
    ...{ type: 'rule_promotion', name: 'Spring', enabled: false, automatic: true },
    ...{ start: '2026-01-31', end: '2027-01-31' },
    rule_set: { rules, actions: [{ strategy: 'cart_discount', args: ['percent', 20] }] },
  },
})
const codeJob = (parameters: object) => ({
  data: { type: 'promotion_job', job_type: 'code_generate', parameters },
})

const purchase = (billing_address: object) => ({
  data: { customer: guestBody().data.customer, billing_address },
})
const tax = (values: object) => ({ data: { type: 'tax_item', name: 'VAT', ...values } })
const token = (values: object) => ({ data: { type: 'token', ...values } })
const integration = (...observes: readonly string[]) => ({
  data: {
    ...{ type: 'integration', name: 'Warehouse', integration_type: 'webhook', observes },
    configuration: { url: 'https://example.com/hook' },
  },
})

const bodies: readonly (readonly [operation: string, body: object, isAccepted: boolean])[] = [
  ['create-flow-entry', { data: { type: 'entry', id: {} } }, false],
  ['create-rule-promotion', rulePromotion({ strategy: 5, operator: 'gte', args: [1] }), false],
  ['create-rule-promotion', rulePromotion({ strategy: 'cart_total', operator: 'near', args: [1] }), false],
  ['create-rule-promotion', rulePromotion({ strategy: 'cart_total', operator: 'gte', args: 1 }), false],
  ['create-rule-promotion', rulePromotion({ strategy: 'cart_total', operator: 'gte', args: [1] }), true],
  ['create-rule-promotion-codes', { data: { type: 'promotion_codes', codes: [] } }, false],
  ['create-promotion-codes', { data: { type: 'promotion_codes', codes: [] } }, false],
  ['create-promotion-job', codeJob({ code_length: 8 }), false],
  ['create-promotion-job', codeJob({ number_of_codes: 2 }), true],
  ['checkout', purchase({ first_name: 'Ada' }), false],
  ['checkout', purchase(guestBody().data.billing_address), true],
  ['add-tax-item', tax({ rate: 0.23 }), true],
  ['add-tax-item', tax({ amount: 230, rate: null }), true],
  ['add-tax-item', tax({}), false],
  ['add-tax-item', tax({ rate: null }), false],
  ['add-tax-item', tax({ rate: 0.23, amount: 230 }), false],
  ['add-cart-items', { data: { type: 'cart_item', quantity: 1 } }, false],
  ['create-customer-token', token({ email: 'nobody@example.com' }), false],
  [
    'create-customer-token',
    token({ authentication_mechanism: 'oidc', email: 'a@b.example', password: 'x' }),
    false,
  ],
  ['create-integration', integration(), false],
  ['create-integration', integration('order.eaten'), false],
  ['create-integration', integration('order.paid', 'order.created'), true],
]

describe.each(bodies)('%s with %j', (id, body, isAccepted) => {
  test(`is ${isAccepted ? 'accepted' : 'refused'} by both`, async () => {
    const { method, path } = await callOf(id)
    const { status, body: answer } = await world.admin.send(method, path, { body: JSON.stringify(body) })
    expect([status < 400, answer?.errors]).toEqual([isAccepted, isAccepted ? undefined : expect.any(Array)])
    expect(status).toBeLessThan(500)
    const { schema } = documented.get(id).requestBody.content['application/json']
    expect(accepts(schema, body)).toBe(isAccepted)
  })
})

const parameters: readonly (readonly [
  operation: string,
  name: string,
  value: string,
  isAccepted: boolean,
])[] = [
  ['export-products', 'useTemplateSlugs', 'AAA', false],
  ['export-products', 'useTemplateSlugs', 'true', true],
  ['list-catalog-products', 'release', 'x', true],
  ['list-accounts', 'page[offset]', '9007199254740993', false],
  ['list-accounts', 'filter', `eq(name,${'a'.repeat(8192)})`, false],
  ['list-catalog-products', 'Sutler-At', '', false],
  ['list-catalog-products', 'Sutler-At', '2026-12-24T18:00:00Z', true],
]

describe.each(parameters)('%s with %s=%.20s', (id, name, value, isAccepted) => {
  test(`is ${isAccepted ? 'accepted' : 'refused'} by both`, async () => {
    const { method, path, body } = await callOf(id)
    const one = documented
      .get(id)
      .parameters.map((parameter: Node) =>
        parameter.$ref ? document.components.parameters[parameter.$ref.split('/').at(-1)] : parameter,
      )
      .find((parameter: Node) => parameter.name === name)
    const isHeader = one.in === 'header'
    const url = new URL(path, 'http://localhost')
    if (!isHeader) url.searchParams.set(name, value)
    const { status } = await world.admin.send(method, url.pathname + url.search, {
      ...(isHeader && { headers: { [name]: value } }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    expect([status < 400, status < 500]).toEqual([isAccepted, true])
    const text = ['integer', 'boolean'].includes(one.schema.type) ? parsed(value) : value
    expect(accepts(one.schema, text)).toBe(isAccepted)
  })
})

const parsed = (text: string): unknown => (/^(true|false|\d+)$/.test(text) ? JSON.parse(text) : text)

test('removing the one link of a relationship has no body, since none is read', () => {
  expect(documented.get('remove-main-image').requestBody).toBeUndefined()
  expect(documented.get('remove-product-files').requestBody).toBeDefined()
})

test('an import requires its file', () => {
  const { schema } = documented.get('import-products').requestBody.content['multipart/form-data']
  expect(schema.required).toEqual(['file'])
})

const file = { file: 'x' }
const elsewhere = { file_location: 'https://example.com/a.png' }
const forms: readonly (readonly [form: Readonly<Record<string, string>>, isAccepted: boolean])[] = [
  [{}, false],
  [file, true],
  [elsewhere, true],
  [{ ...file, public: 'true' }, true],
  [{ ...file, ...elsewhere }, false],
  [{ ...elsewhere, public: 'true' }, false],
  [{ file_location: `https://example.com/${'a'.repeat(2048)}` }, false],
]

test.each(forms)('a new file with %j is accepted by both, or by neither', async (parts, isAccepted) => {
  const { schema } = documented.get('create-file').requestBody.content['multipart/form-data']
  const { status } = await world.admin.send('POST', '/v2/files', { body: formOf(schema, parts) })
  expect([status < 400, status < 500]).toEqual([isAccepted, true])
  const isPublic = parts.public === 'true'
  expect(accepts(schema, { ...parts, ...(isPublic && { public: true }) })).toBe(isAccepted)
})

test('the document lets shoppers read links only where the server does', async () => {
  const { path } = await callOf('get-relationship-of-extended')
  expect((await world.shopper.get(path)).status).toBe(403)
  const { description } = documented.get('get-relationship-of-extended')
  expect(description).toMatch(/Allowed for: `client_credentials`\.$/)
})
