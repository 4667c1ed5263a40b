import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findSecret, makeSecret, readConfig } from '../server/config.ts'

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
