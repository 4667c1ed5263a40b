import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { BlockList } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join, resolve } from 'node:path'
import { StartupError } from './platform/faults.ts'
import { rangesOf } from './platform/sockets/addresses.ts'

export type Config = ReturnType<typeof readConfig>
type Env = Readonly<Record<string, string | undefined>>

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const secretCharsMin = 32
const examples = 'separated by commas, such as 10.0.0.0/8, 192.0.2.7 or loopback'

/**
 * Every setting, from the environment: the only file that reads it. docs/configuration.md is generated from
 * these comments. A variable set to nothing counts as not set.
 */
export function readConfig(env: Env = process.env) {
  const setting = settingsOf(env)
  const config = {
    /**
     * The PostgreSQL to use, as `postgres://user:password@host:port/database`. Without it the server
     * brings its own and keeps it in the data directory.
     */
    databaseUrl: setting('DATABASE_URL', postgresUrl, undefined),

    /**
     * How many connections each process opens to PostgreSQL for requests. Reads that may be slow take half as many
     * more, reads that are sure to be short three, background work nine.
     */
    databaseConnections: setting('SUTLER_DATABASE_CONNECTIONS', integer(1, 1000), 10),

    /** The port to listen on. 0 takes any free one and logs which. */
    port: setting('PORT', integer(0, 65535), 8080),

    /**
     * The address to listen on. By default every address of this machine: `::`, which takes IPv4 as well, or
     * `0.0.0.0` where the machine has no IPv6 at all. `127.0.0.1` keeps the server to this machine.
     */
    host: setting('HOST', text('an IP address or a host name'), anyAddress()),

    /** The directory of everything the server keeps: its database, its secret, its files. */
    dataDir: resolve(setting('SUTLER_DATA_DIR', text('a path'), './data')),

    /**
     * The directory that uploaded files are kept in: by default `files` in the data directory. Several processes on one
     * database need one that all of them see, or a bucket.
     */
    filesDir: setting('SUTLER_FILES_DIR', text('a path'), undefined),

    /**
     * A bucket of an S3-compatible store to keep uploaded files in, in place of that directory, which then only has
     * them while they come. Set with SUTLER_S3_ACCESS_KEY_ID and SUTLER_S3_SECRET_ACCESS_KEY. No two databases may use
     * one bucket.
     */
    s3Bucket: setting('SUTLER_S3_BUCKET', text('the name of a bucket'), undefined),

    /** The address of the store, such as `https://s3.example.com`. Without it, Amazon's in the region. */
    s3Endpoint: setting('SUTLER_S3_ENDPOINT', webUrl, undefined),

    /** The region of the bucket. */
    s3Region: setting('SUTLER_S3_REGION', text('the name of a region'), 'us-east-1'),

    /** Who the server is to the store: it must read, write, list and delete what is in the bucket. */
    s3AccessKeyId: setting('SUTLER_S3_ACCESS_KEY_ID', text('any text'), undefined),

    /** The secret that goes with it. */
    s3SecretAccessKey: setting('SUTLER_S3_SECRET_ACCESS_KEY', hiddenText, undefined),

    /** The client id of the first application key. Set it together with SUTLER_CLIENT_SECRET, or neither. */
    clientId: setting('SUTLER_CLIENT_ID', text('any text'), undefined),

    /**
     * The client secret of the first application key, at least 32 characters, such as from `openssl rand -hex 32`.
     * Without the two, the first start makes up a pair and prints it once.
     */
    clientSecret: setting('SUTLER_CLIENT_SECRET', text('any text'), undefined),

    /**
     * The key material of this installation, at least 32 characters: tokens are signed and stored secrets are
     * sealed with it. All processes on one database need the same. By default the first start makes one up
     * and keeps it in the file `secret` in the data directory. A start without the one that the database was made
     * with is refused.
     */
    secret: setting('SUTLER_SECRET', secretText, undefined),

    /**
     * Another secret, that nothing new is made with, but whose tokens and sealed values are good: the one before, for
     * a day and an hour after it was replaced. See docs/operating.md.
     */
    previousSecret: setting('SUTLER_PREVIOUS_SECRET', secretText, undefined),

    /**
     * `true` starts without the secret that the database was made with, for when it is lost: everyone is signed out,
     * and the client secrets of OIDC profiles must be set again.
     */
    forgetSecret: setting('SUTLER_FORGET_SECRET', onOrOff, false),

    /**
     * The address clients reach the server under, such as `https://shop.example.com`: links and tokens carry
     * it. By default each request's own Host header.
     */
    baseUrl: setting('SUTLER_BASE_URL', webUrl, undefined),

    /**
     * Which proxies may say who the client is (X-Forwarded-For, -Proto and -Host): their IP addresses and ranges,
     * separated by commas, such as `10.0.0.0/8`; `loopback` is this machine, `uniquelocal` all private networks. None
     * by default: anyone could write those headers.
     */
    trustProxy: setting('SUTLER_TRUST_PROXY', proxies, false),

    /**
     * Where the OpenID Connect providers that users sign in at may be, beside the public internet: IP addresses and
     * ranges, separated by commas, `loopback` for this machine, `uniquelocal` for all private networks. Nowhere else
     * by default: who manages a store chooses the addresses, and is not to reach what only this server can reach.
     */
    providerNetworks: setting('SUTLER_PROVIDER_NETWORKS', networks, undefined),

    /**
     * The mail server that one-time passwords are sent through, as `smtp://user:password@host:587` (or `smtps://`).
     * Without it they are only in the event, for whoever sends them.
     */
    smtpUrl: setting('SUTLER_SMTP_URL', smtpUrl, undefined),

    /** Who mail is from, as `Shop <shop@example.com>`. Set with SUTLER_SMTP_URL. */
    mailFrom: setting('SUTLER_MAIL_FROM', text('an address'), undefined),

    /** The least severe messages to log: trace, debug, info, warn, error, fatal, or silent for none. */
    logLevel: setting('LOG_LEVEL', oneOf(logLevels), 'info'),

    /**
     * `true` refuses new passwords that are among the most common, and asks shoppers who change their password, email
     * address or username for the current password (`current_password`), or for a sign-in of the last ten minutes. Off
     * by default: clients that know only the public contract cannot send it.
     */
    strictPasswords: setting('SUTLER_STRICT_PASSWORDS', onOrOff, false),

    /**
     * `true` lets shoppers ask (`Prefer: explain`) why they see this catalog and these prices. Off by default: rules
     * and price books are nobody's business but the merchant's.
     */
    explainsToShoppers: setting('SUTLER_EXPLAIN_TO_SHOPPERS', onOrOff, false),

    /** How long an access token is good for, in seconds. Short, since a token cannot be revoked by itself. */
    tokenLifetimeS: setting('SUTLER_TOKEN_LIFETIME_S', integer(1, 31_536_000), 3600),
  }

  if ((config.clientId === undefined) !== (config.clientSecret === undefined)) {
    const [set, missing] = config.clientId === undefined ? ['SECRET', 'ID'] : ['ID', 'SECRET']
    throw new StartupError(
      `SUTLER_CLIENT_${set} is set without SUTLER_CLIENT_${missing}: set both or neither`,
    )
  }
  if ((config.smtpUrl === undefined) !== (config.mailFrom === undefined)) {
    throw new StartupError('SUTLER_SMTP_URL and SUTLER_MAIL_FROM go together: set both or neither')
  }
  const s3 = [config.s3Bucket, config.s3AccessKeyId, config.s3SecretAccessKey]
  if (new Set(s3.map((value) => value === undefined)).size > 1) {
    throw new StartupError(
      'SUTLER_S3_BUCKET, SUTLER_S3_ACCESS_KEY_ID and SUTLER_S3_SECRET_ACCESS_KEY go together: set all or none',
    )
  }
  return config
}

/** Where uploaded files are kept, or drafts of them. */
export const filesDirOf = ({ filesDir, dataDir }: Pick<Config, 'filesDir' | 'dataDir'>): string =>
  filesDir === undefined ? join(dataDir, 'files') : resolve(filesDir)

/** The bucket they are kept in, if they are in one. */
export function bucketOf(config: Config) {
  const { s3Bucket: name, s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config
  if (!name || !accessKeyId || !secretAccessKey) return undefined
  return { name, accessKeyId, secretAccessKey, region: config.s3Region, endpoint: config.s3Endpoint }
}

type Kept = Pick<Config, 'dataDir'>

export const secretFile = ({ dataDir }: Kept): string => join(dataDir, 'secret')

/** The installation's key material: the setting, or else the file that the first start made. */
export function findSecret({ secret, dataDir }: Pick<Config, 'secret'> & Kept): string | undefined {
  if (secret !== undefined) return secret
  const file = secretFile({ dataDir })
  const found = keeping(file, () => readIfThere(file))
  if (found === undefined || found.length >= secretCharsMin) return found
  throw new StartupError(
    `${file} holds fewer than ${secretCharsMin} characters: restore it, or set SUTLER_SECRET`,
  )
}

/** Makes it up, and keeps it. */
export function makeSecret({ dataDir }: Kept): string {
  const file = secretFile({ dataDir })
  return keeping(file, () => {
    mkdirSync(dataDir, { recursive: true })
    return createOnce(file, randomBytes(32).toString('base64url'))
  })
}

function keeping<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new StartupError(
      `cannot read or write the secret in ${file}: ${(error as Error).message}. Make it accessible, or set SUTLER_SECRET`,
    )
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Of several processes that start at once one writes the file, whole, and all of them use what it wrote. */
function createOnce(file: string, secret: string): string {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${secret}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readFileSync(file, 'utf8').trim()
}

function anyAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return addresses.some(({ family }) => family === 'IPv6') ? '::' : '0.0.0.0'
}

/** Reads one kind of value: what it is, in words, and the value, or undefined if it is not one. */
interface Reading<T> {
  readonly accepts: string
  /** The value is a secret, or may hold one, and is not repeated in a message. */
  readonly hidden?: boolean
  read(value: string): T | undefined
}

function settingsOf(env: Env) {
  return <T, D>(name: string, { accepts, hidden, read }: Reading<T>, fallback: D): T | D => {
    const value = env[name]?.trim()
    if (!value) return fallback
    const found = read(value)
    if (found !== undefined) return found
    throw new StartupError(
      `${name} is ${hidden ? 'not valid' : JSON.stringify(value)}: it must be ${accepts}`,
    )
  }
}

function text(accepts: string): Reading<string> {
  return { accepts, read: (value) => value }
}

const hiddenText: Reading<string> = { accepts: 'any text', hidden: true, read: (value) => value }

function integer(min: number, max: number): Reading<number> {
  return {
    accepts: `a whole number from ${min} to ${max}`,
    read(value) {
      const number = Number(value)
      return /^\d+$/.test(value) && number >= min && number <= max ? number : undefined
    },
  }
}

const onOrOff: Reading<boolean> = {
  accepts: 'true or false',
  read: (value) => (/^(true|false)$/.test(value) ? value === 'true' : undefined),
}

function oneOf<const T extends string>(values: readonly T[]): Reading<T> {
  return { accepts: `one of ${values.join(', ')}`, read: (value) => values.find((one) => one === value) }
}

const secretText: Reading<string> = {
  accepts: `at least ${secretCharsMin} characters`,
  hidden: true,
  read: (value) => (value.length >= secretCharsMin ? value : undefined),
}

const postgresUrl: Reading<string> = {
  accepts: 'a URL such as postgres://user:password@host:5432/database',
  hidden: true,
  // Not parsed further: a Unix socket or several hosts make a URL that PostgreSQL takes and `URL` does not.
  read: (value) => (/^postgres(ql)?:\/\/./.test(value) ? value : undefined),
}

const smtpUrl: Reading<string> = {
  accepts: 'a URL such as smtp://user:password@host:587',
  hidden: true,
  read: (value) => (/^smtps?:$/.test(URL.parse(value)?.protocol ?? '') ? value : undefined),
}

const webUrl: Reading<string> = {
  accepts: 'an http or https URL without query or fragment, such as https://shop.example.com',
  read(value) {
    const url = URL.parse(value)
    if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) return undefined
    return url.href.replace(/\/+$/, '')
  },
}

// No number of hops: a client that reaches the server directly can make up as many as it takes.
// Nor `true` for any proxy: then every client is one.
const proxies: Reading<false | string> = {
  accepts: `the IP addresses or ranges of the proxies, ${examples}`,
  read(value) {
    if (value === 'false') return false
    return rangesOf(value) && value.replaceAll(/\s/g, '')
  },
}

const networks: Reading<BlockList> = { accepts: `IP addresses or ranges, ${examples}`, read: rangesOf }
