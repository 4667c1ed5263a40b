import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addCodes, idIn, kinds, makePromotion, newCode, units } from '../../builders/promotions/codes.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const codesIn = async (promotion: string, query = '') =>
  (await world.admin.get(`${promotion}/codes?${query}`)).body.data as { readonly code: string }[]

const titleOf = ({ status, body }: Awaited<ReturnType<typeof addCodes>>) => [status, body.errors?.[0].title]

describe.each(kinds)('codes of %s', (kind) => {
  const [perOrder] = units[kind]

  test('are shown with their limits and the uses that are left', async () => {
    const promotion = await makePromotion(world.admin, kind)
    const users = ['ann@example.com', 'ben@example.com']
    await addCodes(world.admin, promotion, { code: 'Spring', uses: 10, user: users }, { code: 'Free' })
    const [free, spring] = await codesIn(promotion, 'sort=code')
    expect(spring).toMatchObject({
      type: 'promotion_codes',
      code: 'Spring',
      consume_unit: perOrder,
      uses: 10,
      max_uses: 10,
      user: users,
      created_by: expect.any(String),
      meta: { timestamps: { created_at: expect.stringMatching(/Z$/) } },
    })
    expect(free).not.toHaveProperty('uses')
    expect(free).not.toHaveProperty('max_uses')
    expect(free).not.toHaveProperty('user')
  })

  test('are unique in a promotion, in capitals and in small letters, and all or none are added', async () => {
    const promotion = await makePromotion(world.admin, kind)
    const code = newCode()
    const twice = await addCodes(world.admin, promotion, { code }, { code: code.toUpperCase() })
    expect(titleOf(twice)).toEqual([422, 'Duplicate code'])
    expect(twice.body.errors[0].meta).toEqual({ codes: [code.toUpperCase()] })
    expect(await codesIn(promotion)).toEqual([])
    expect((await addCodes(world.admin, promotion, { code })).status).toBe(201)
    const taken = code.toLowerCase()
    const again = await addCodes(world.admin, promotion, { code: newCode() }, { code: taken })
    expect(titleOf(again)).toEqual([422, 'Duplicate code'])
    expect(again.body.errors[0]).toMatchObject({
      detail: `Promotion code already in use: ${taken}`,
      meta: { codes: [taken] },
    })
    expect((await codesIn(promotion)).map((one) => one.code)).toEqual([code])
  })

  test('are filtered and sorted without regard to case', async () => {
    const promotion = await makePromotion(world.admin, kind)
    await addCodes(world.admin, promotion, ...['beech', 'Ash', 'CEDAR'].map((code) => ({ code })))
    const found = async (query: string) => (await codesIn(promotion, query)).map(({ code }) => code)
    expect(await found('sort=code')).toEqual(['Ash', 'beech', 'CEDAR'])
    expect(await found('sort=-code')).toEqual(['CEDAR', 'beech', 'Ash'])
    expect(await found('filter=eq(code,cedar)')).toEqual(['CEDAR'])
    expect(await found('sort=code&filter=gt(code,ASH)')).toEqual(['beech', 'CEDAR'])
    expect(await found('sort=code&page[limit]=1&page[offset]=1')).toEqual(['beech'])
  })

  test('are deleted one by one, by their text or their id, or many at once', async () => {
    const promotion = await makePromotion(world.admin, kind)
    await addCodes(world.admin, promotion, ...['One', 'Two', 'Three', 'Four'].map((code) => ({ code })))
    const [one] = (await codesIn(promotion, 'filter=eq(code,one)')) as unknown as { readonly id: string }[]
    const path = `${promotion}/codes`
    expect((await world.admin.delete(`${path}/${one?.id}`)).status).toBe(204)
    expect((await world.admin.delete(`${path}/TWO`)).status).toBe(204)
    expect((await world.admin.delete(`${path}/two`)).status).toBe(404)
    const codes = [{ code: 'THREE', uses: 5 }, { code: 'unknown' }]
    const many = await world.admin.send('DELETE', path, {
      body: JSON.stringify({ data: { type: 'promotion_codes', codes } }),
      headers: { 'content-type': 'application/json' },
    })
    expect(many.status).toBe(204)
    expect((await codesIn(promotion)).map(({ code }) => code)).toEqual(['Four'])
  })

  test('are not for automatic promotions', async () => {
    const promotion = await makePromotion(world.admin, kind, { automatic: true })
    expect(titleOf(await addCodes(world.admin, promotion, { code: newCode() }))).toEqual([
      422,
      'No codes allowed',
    ])
  })

  test('are 1000 at most where the promotion lasts longer than a year', async () => {
    const codes = Array.from({ length: 1000 }, () => ({ code: newCode() }))
    const long = await makePromotion(world.admin, kind, { end: '2027-01-02' })
    expect((await addCodes(world.admin, long, ...codes)).status).toBe(201)
    const one = await addCodes(world.admin, long, { code: newCode() })
    expect(titleOf(one)).toEqual([400, 'Too many promotion codes'])
    const year = await makePromotion(world.admin, kind, { end: '2027-01-01' })
    expect((await addCodes(world.admin, year, ...codes.map(() => ({ code: newCode() })))).status).toBe(201)
    expect((await addCodes(world.admin, year, { code: newCode() })).status).toBe(201)
  })

  test('find their promotion', async () => {
    const promotion = await makePromotion(world.admin, kind)
    const code = newCode()
    await addCodes(world.admin, promotion, { code })
    const found = async (text: string) =>
      (await world.admin.get(`/v2/${kind}?filter=eq(code,${text})`)).body.data.map(
        ({ id }: { id: string }) => id,
      )
    expect(await found(code.toUpperCase())).toEqual([idIn(promotion)])
    expect(await found(newCode())).toEqual([])
  })

  test('go with their promotion', async () => {
    const promotion = await makePromotion(world.admin, kind)
    const code = newCode()
    await addCodes(world.admin, promotion, { code })
    expect((await world.admin.delete(promotion)).status).toBe(204)
    expect((await world.admin.get(`${promotion}/codes`)).status).toBe(404)
    const next = await makePromotion(world.admin, kind)
    const { status, body } = await addCodes(world.admin, next, { code })
    expect([status, body.messages]).toEqual([201, undefined])
  })
})

test('two standard promotions share no code until one has ended', async () => {
  const code = newCode()
  const [running, ended] = [
    await makePromotion(world.admin, 'promotions'),
    await makePromotion(world.admin, 'promotions', { start: '2020-01-01', end: '2020-02-01' }),
  ]
  expect((await addCodes(world.admin, ended, { code })).status).toBe(201)
  expect((await addCodes(world.admin, running, { code: code.toUpperCase() })).status).toBe(201)
  const third = await makePromotion(world.admin, 'promotions')
  expect(titleOf(await addCodes(world.admin, third, { code }))).toEqual([422, 'Duplicate code'])
})

test('an ended standard promotion that begins again loses its codes', async () => {
  const past = { start: '2020-01-01', end: '2020-02-01' }
  const promotion = await makePromotion(world.admin, 'promotions', past)
  const restart = (end: string) => world.admin.put(promotion, { data: { type: 'promotion', end } })
  await addCodes(world.admin, promotion, { code: newCode() })
  expect((await restart('2020-03-01')).status).toBe(200)
  expect((await codesIn(promotion)).length).toBe(1)
  expect((await restart('2098-03-01')).status).toBe(200)
  expect(await codesIn(promotion)).toEqual([])
  await addCodes(world.admin, promotion, { code: newCode() })
  expect((await restart('2099-03-01')).status).toBe(200)
  expect((await codesIn(promotion)).length).toBe(1)
})

test('an ended standard promotion with more than 1000 codes cannot begin again', async () => {
  const past = { start: '2020-01-01', end: '2020-02-01' }
  const promotion = await makePromotion(world.admin, 'promotions', past)
  const codes = Array.from({ length: 1000 }, () => ({ code: newCode() }))
  await addCodes(world.admin, promotion, ...codes)
  await addCodes(world.admin, promotion, { code: newCode() })
  const { status, body } = await world.admin.put(promotion, {
    data: { type: 'promotion', end: '2099-01-01' },
  })
  expect([status, body.errors[0]]).toMatchObject([422, { source: 'request' }])
  expect((await codesIn(promotion)).length).toBeGreaterThan(0)
})

test('rule promotions share codes, and are told so', async () => {
  const [one, other] = [
    await makePromotion(world.admin, 'rule-promotions'),
    await makePromotion(world.admin, 'rule-promotions'),
  ]
  const code = newCode()
  expect((await addCodes(world.admin, one, { code })).body.messages).toBeUndefined()
  const { status, body } = await addCodes(world.admin, other, { code }, { code: newCode() })
  expect([status, body.data.length]).toEqual([201, 2])
  expect(body.messages).toEqual([
    {
      source: { type: 'promotion_codes', codes: [code] },
      title: 'Duplicate code names',
      description: expect.any(String),
    },
  ])
})

test.each([
  [{ max_uses_per_shopper: { includes_guests: true } }, 400, 'missing_dependency'],
  [
    { max_uses_per_shopper: { max_uses: 1 }, consume_unit: 'per_application' },
    422,
    'Unsupported consume unit',
  ],
  [{ is_for_new_shopper: true, uses: 1 }, 400, 'Invalid Code'],
  [{ is_for_new_shopper: true, user: 'ann@example.com' }, 400, 'Invalid Code'],
])('a code of a rule promotion cannot have %j', async (limits, status, title) => {
  const promotion = await makePromotion(world.admin, 'rule-promotions')
  expect(titleOf(await addCodes(world.admin, promotion, { code: newCode(), ...limits }))).toEqual([
    status,
    title,
  ])
})

test('a client may write includes_guest for includes_guests', async () => {
  const promotion = await makePromotion(world.admin, 'rule-promotions')
  const { body } = await addCodes(world.admin, promotion, {
    code: newCode(),
    max_uses_per_shopper: { max_uses: 1, includes_guest: true },
  })
  expect(body.data[0].max_uses_per_shopper).toEqual({ max_uses: 1, includes_guests: true })
})

test.each(kinds)('a code of %s is more than spaces', async (kind) => {
  const promotion = await makePromotion(world.admin, kind)
  for (const code of ['', ' ', ' \t ']) {
    const { status, body } = await addCodes(world.admin, promotion, { code })
    expect([status, body.errors[0].source]).toEqual([400, 'data.codes.0.code'])
  }
})
