import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { findSecret, makeSecret, readConfig, readSettings } from '../server/config.ts'

test('no setting is required', () => {
  expect(readConfig({ PORT: '', LOG_LEVEL: ' ' })).toMatchObject({
    databaseUrl: undefined,
    port: 8080,
    logLevel: 'info',
    trustProxy: false,
    strictPasswords: false,
    explainsToShoppers: false,
    shopperWritesMax: 6000,
    tokenLifetimeS: 3600,
  })
})

const refused: [env: Record<string, string>, line: RegExp][] = [
  [{ PORT: '80a' }, /^PORT is "80a": it must be a whole number from 0 to 65535$/],
  [{ PORT: '65536' }, /^PORT is "65536"/],
  [{ PORT: '-1' }, /^PORT is "-1"/],
  [
    { DATABASE_URL: 'mysql://me:hush@here/shop' },
    /^DATABASE_URL is not valid: it must be a URL such as postgres:/,
  ],
  [{ SUTLER_SECRET: 'short' }, /^SUTLER_SECRET is not valid: it must be at least 32 characters$/],
  [{ SUTLER_CLIENT_ID: 'a' }, /^SUTLER_CLIENT_ID is set without SUTLER_CLIENT_SECRET: set both or neither$/],
  [{ SUTLER_CLIENT_SECRET: 'a' }, /^SUTLER_CLIENT_SECRET is set without SUTLER_CLIENT_ID/],
  [
    { SUTLER_BASE_URL: 'shop.example.com' },
    /^SUTLER_BASE_URL is "shop.example.com": it must be an http or https/,
  ],
  [
    { SUTLER_TRUST_PROXY: 'true' },
    /^SUTLER_TRUST_PROXY is "true": it must be the IP addresses or ranges of the proxies, separated by commas, such as/,
  ],
  [
    { SUTLER_SMTP_URL: 'smtp://here', SUTLER_MAIL_FROM: 'Shop' },
    /^SUTLER_MAIL_FROM is "Shop": it must be an address such as Shop <shop@example.com>$/,
  ],
  [{ SUTLER_TRUST_PROXY: '2' }, /^SUTLER_TRUST_PROXY is "2"/],
  [{ SUTLER_TRUST_PROXY: '10.0.0.0/33' }, /^SUTLER_TRUST_PROXY is "10.0.0.0\/33"/],
  [{ SUTLER_TRUST_PROXY: '10.0.0.256' }, /^SUTLER_TRUST_PROXY is "10.0.0.256"/],
  [{ SUTLER_TRUST_PROXY: '10.0.0.1,' }, /^SUTLER_TRUST_PROXY is "10.0.0.1,"/],
  [
    { SUTLER_WEBHOOK_NETWORKS: '10.0.0.0/33' },
    /^SUTLER_WEBHOOK_NETWORKS is "10.0.0.0\/33": it must be IP addr/,
  ],
  [{ SUTLER_PROVIDER_NETWORKS: 'localhost' }, /^SUTLER_PROVIDER_NETWORKS is "localhost": it must be IP addr/],
  [
    { SUTLER_S3_BUCKET: 'a', SUTLER_S3_ACCESS_KEY_ID: 'b' },
    /^SUTLER_S3_BUCKET, SUTLER_S3_ACCESS_KEY_ID and SUTLER_S3_SECRET_ACCESS_KEY go together: set all or none$/,
  ],
  [
    { SUTLER_S3_ENDPOINT: 's3.example.com' },
    /^SUTLER_S3_ENDPOINT is "s3.example.com": it must be an http or https/,
  ],
  [{ SUTLER_STRICT_PASSWORDS: 'yes' }, /^SUTLER_STRICT_PASSWORDS is "yes": it must be true or false$/],
  ...['store', 'store:0', 'store:100000', 'store:1.5', 'all:5', 'store:5,store:6', 'store:5,'].map(
    (rates): [Record<string, string>, RegExp] => [
      { SUTLER_RATE: rates },
      new RegExp(`^SUTLER_RATE is "${rates}": it must be rates such as store:200,key:100: each is one of`),
    ],
  ),
  [
    { SUTLER_SMTP_URL: 'smtp://mail' },
    /^SUTLER_SMTP_URL and SUTLER_MAIL_FROM go together: set both or neither$/,
  ],
  [{ SUTLER_SMTP_URL: 'https://me:hush@mail' }, /^SUTLER_SMTP_URL is not valid: it must be/],
  [{ SUTLER_STRIPE_URL: 'stripe' }, /^SUTLER_STRIPE_URL is "stripe": it must be an http or https/],
  [
    { SUTLER_METRICS_PORT: '65536' },
    /^SUTLER_METRICS_PORT is "65536": it must be a whole number from 0 to 65535$/,
  ],
  [{ SUTLER_SLOW_MS: '0' }, /^SUTLER_SLOW_MS is "0": it must be a whole number from 1 to 3600000$/],
  [{ OTEL_TRACES_SAMPLER_ARG: '1.1' }, /^OTEL_TRACES_SAMPLER_ARG is "1.1": it must be/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' }, /^OTEL_EXPORTER_OTLP_ENDPOINT is "localhost:4318"/],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'hush' }, /^OTEL_EXPORTER_OTLP_HEADERS is not valid: it must be/],
  [{ SUTLER_SHOPPER_WRITES_PER_MINUTE: '0' }, /^SUTLER_SHOPPER_WRITES_PER_MINUTE is "0"/],
  ...['SUTLER_COMPRESS', 'SUTLER_KEEP_IDS', 'SUTLER_FORGET_SECRET', 'SUTLER_EXPLAIN_TO_SHOPPERS'].map(
    (name): [Record<string, string>, RegExp] => [
      { [name]: '1' },
      new RegExp(`^${name} is "1": it must be true or false$`),
    ],
  ),
  [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL is "loud": it must be one of trace, debug,/],
  [{ SUTLER_TOKEN_LIFETIME_S: '0' }, /^SUTLER_TOKEN_LIFETIME_S is "0": it must be a whole number from 1/],
  [{ SUTLER_DATABASE_CONNECTIONS: '1e3' }, /^SUTLER_DATABASE_CONNECTIONS is "1e3"/],
]

test.for(refused)('a bad value is refused in one line that names it: %o', ([env, line]) => {
  expect(() => readConfig(env)).toThrow(line)
})

const accepted: [env: Record<string, string>, config: Record<string, unknown>][] = [
  [{ DATABASE_URL: 'postgresql://u@/db?host=/run/pg' }, { databaseUrl: 'postgresql://u@/db?host=/run/pg' }],
  [{ SUTLER_BASE_URL: 'https://shop.example.com/api/' }, { baseUrl: 'https://shop.example.com/api' }],
  [{ SUTLER_TRUST_PROXY: 'false' }, { trustProxy: false }],
  [{ SUTLER_TRUST_PROXY: 'loopback, uniquelocal' }, { trustProxy: 'loopback,uniquelocal' }],
  [{ SUTLER_STRICT_PASSWORDS: 'true' }, { strictPasswords: true }],
  [{ SUTLER_STRICT_PASSWORDS: 'false' }, { strictPasswords: false }],
  [{ SUTLER_EXPLAIN_TO_SHOPPERS: 'true' }, { explainsToShoppers: true }],
  [{ SUTLER_SHOPPER_WRITES_PER_MINUTE: '60000' }, { shopperWritesMax: 60_000 }],
  [{ SUTLER_RATE: 'store:200, key:100' }, { requestRates: { store: 200, key: 100 } }],
  [{ SUTLER_RATE: 'shopper:5,address:99999' }, { requestRates: { shopper: 5, address: 99_999 } }],
  [{ SUTLER_RATE: 'none' }, { requestRates: {} }],
  [{ SUTLER_TRUST_PROXY: '10.0.0.0/8, ::1' }, { trustProxy: '10.0.0.0/8,::1' }],
  [
    { PORT: '0', LOG_LEVEL: 'silent' },
    { port: 0, logLevel: 'silent' },
  ],
]

test.for(accepted)('%o is read', ([env, config]) => {
  expect(readConfig(env)).toMatchObject(config)
})

test('the secret is created once, readable by its owner only, and a damaged one is refused', () => {
  const scratch = fs.mkdtempSync(join(tmpdir(), 'config-test-'))
  const config = { secret: undefined, dataDir: join(scratch, 'data') }
  const file = join(config.dataDir, 'secret')
  expect(findSecret(config)).toBeUndefined()
  const secret = makeSecret(config)
  expect(secret.length).toBeGreaterThanOrEqual(32)
  expect([findSecret(config), makeSecret(config)]).toEqual([secret, secret])
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  fs.writeFileSync(file, '')
  expect(() => findSecret(config)).toThrow(`${file} holds fewer than 32 characters`)
  fs.rmSync(scratch, { recursive: true })
})

describe('a setting', () => {
  const scratch = fs.mkdtempSync(join(tmpdir(), 'config-test-'))
  afterAll(() => fs.rmSync(scratch, { recursive: true }))
  const write = (name: string, content: string) => {
    fs.writeFileSync(join(scratch, name), content)
    return join(scratch, name)
  }
  const long = 'a secret with more than 32 characters'
  const inForce = (env: Record<string, string>, name: string) =>
    readSettings(env).settings.find((one) => one.name === name)

  test('comes from the environment, a file of its own, the configuration file, or the default', () => {
    const secret = write('secret', `${long}\n`)
    const SUTLER_CONFIG = write(
      'env',
      `# a comment\n\nPORT=9000\nHOST="127.0.0.1"\nSUTLER_SECRET_FILE=${secret}\n`,
    )
    expect(readConfig({ SUTLER_CONFIG })).toMatchObject({ port: 9000, host: '127.0.0.1', secret: long })
    const of = (env: Record<string, string>, name: string) => inForce(env, name)?.from
    expect(of({ SUTLER_CONFIG }, 'SUTLER_SECRET')).toBe(`${secret} (SUTLER_SECRET_FILE)`)
    expect(of({ SUTLER_CONFIG }, 'PORT')).toBe(`${SUTLER_CONFIG} (SUTLER_CONFIG)`)
    expect(of({ SUTLER_CONFIG, PORT: '1' }, 'PORT')).toBe('the environment')
    expect(of({ SUTLER_CONFIG }, 'LOG_LEVEL')).toBe('default')
    expect(readConfig({ SUTLER_CONFIG, SUTLER_SECRET: `${long}!` }).secret).toBe(`${long}!`)
  })

  test('has the default that its documentation names', () => {
    const page = fs.readFileSync(new URL('../docs/configuration.md', import.meta.url), 'utf8')
    const named = page.split(/^## /m).flatMap((section) => {
      const [, name, value] = /^(\w+)\n.*\n\nDefault: `(.+)`/s.exec(section) ?? []
      return name === undefined ? [] : [[name, value]]
    })
    expect(named.length).toBeGreaterThan(15)
    expect(named.map(([name]) => [name, String(inForce({}, name as string)?.value)])).toEqual(named)
    // Those that depend on the machine have a sentence in place of a value.
    const has = new Set(named.map(([name]) => name))
    const silent = readSettings({}).settings.flatMap(({ name, value }) =>
      value === undefined || has.has(name) ? [] : [name],
    )
    expect(silent).toEqual(['HOST'])
  })

  test('that is a secret may be in a file, and the others may not', () => {
    const secrets = readSettings({}).settings.flatMap(({ name, isSecret }) => (isSecret ? [name] : []))
    expect(secrets).toEqual([
      ...['DATABASE_URL', 'SUTLER_DIRECT_DATABASE_URL', 'SUTLER_REPLICAS', 'SUTLER_S3_SECRET_ACCESS_KEY'],
      ...['SUTLER_CLIENT_SECRET', 'SUTLER_SECRET'],
      ...['SUTLER_PREVIOUS_SECRET', 'SUTLER_SMTP_URL', 'OTEL_EXPORTER_OTLP_HEADERS'],
    ])
    const PORT_FILE = write('port', '9000')
    expect(readConfig({ PORT_FILE }).port).toBe(8080)
  })

  const faults: [env: () => Record<string, string>, line: RegExp][] = [
    [
      () => ({ SUTLER_SECRET: long, SUTLER_SECRET_FILE: '/x' }),
      /^SUTLER_SECRET and SUTLER_SECRET_FILE are both set/,
    ],
    [() => ({ SUTLER_SECRET_FILE: '/none' }), /^SUTLER_SECRET_FILE names a file that cannot be read: ENOENT/],
    [
      () => ({ DATABASE_URL_FILE: write('empty', '\n') }),
      /^DATABASE_URL_FILE names .*empty, which is empty$/,
    ],
    [
      () => ({ SUTLER_SECRET_FILE: write('short', 'short') }),
      /^SUTLER_SECRET is not valid: it must be at least 32/,
    ],
    [() => ({ SUTLER_CONFIG: '/none' }), /^SUTLER_CONFIG names a file that cannot be read: ENOENT/],
    [
      () => ({ SUTLER_CONFIG: write('odd', 'PORT=1\nPORT: 2\n') }),
      /^line 2 of .*odd \(SUTLER_CONFIG\) must be KEY=value/,
    ],
  ]

  test.for(faults)('that cannot be read is named in one line: %#', ([env, line]) => {
    expect(() => readConfig(env())).toThrow(line)
  })

  test('with an unknown name is listed, wherever it is', () => {
    const SUTLER_CONFIG = write('typo', 'SUTLER_BASEURL=https://a.example\nPOSTGRES_USER=a\n')
    const env = { SUTLER_CONFIG, SUTLER_PORT: '1', SUTLER_URL: 'http://localhost', HOME: '/' }
    expect(readSettings(env).unknown).toEqual([
      'SUTLER_BASEURL is not a setting: did you mean SUTLER_BASE_URL?',
      'SUTLER_PORT is not a setting: did you mean PORT?',
    ])
  })
})
