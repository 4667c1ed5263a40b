import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join, resolve } from 'node:path'
import { StartupError, StartupRefusal, WrongSetting } from './platform/faults.ts'
import {
  headerList,
  hiddenText,
  integer,
  mailbox,
  networks,
  oneOf,
  onOrOff,
  postgresUrl,
  postgresUrls,
  proxies,
  requestRates,
  secretCharsMin,
  secretText,
  share,
  smtpUrl,
  text,
  webUrl,
} from './setting-formats.ts'
import { faultsOfPairs } from './setting-pairs.ts'
import { type Env, settingsOf } from './setting-sources.ts'

export type Config = ReturnType<typeof readSettings>['config']

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** Sets what an option of a command says in place of the environment. */
export function setInEnvironment(name: 'PORT' | 'SUTLER_CONFIG', value: string): void {
  process.env[name] = value
}

/** The settings of this process. Throws if one of them is wrong. */
export function readConfig(env: Env = process.env): Config {
  const { config, faults } = readSettings(env)
  if (faults[0] !== undefined) throw new WrongSetting(faults[0])
  return config
}

/**
 * Every setting, with where it comes from, and all that is wrong. No other file reads the environment.
 * docs/configuration.md is generated from these comments. An empty variable counts as not set.
 */
export function readSettings(env: Env = process.env) {
  const { setting, settings, faults, unknown } = settingsOf(env)
  const config = {
    /**
     * The PostgreSQL to use, as `postgres://user:password@host:port/database`. By default the server runs its own
     * PostgreSQL in the data directory.
     */
    databaseUrl: setting('DATABASE_URL', postgresUrl, undefined),

    /**
     * The same database without a pooler. Set it if DATABASE_URL leads to pgbouncer in transaction mode: what needs a
     * session of its own (listening, locks of a process, migrations, commands) goes here. See docs/scaling.md.
     */
    directDatabaseUrl: setting('SUTLER_DIRECT_DATABASE_URL', postgresUrl, undefined),

    /**
     * Read replicas: streaming standbys of the PostgreSQL at DATABASE_URL, as URLs separated by commas. Lists,
     * searches, exports and other reads go to one that has all that was written before the read; writes never do. By
     * default there are none. See docs/scaling.md.
     */
    replicaUrls: setting('SUTLER_REPLICAS', postgresUrls, undefined),

    /**
     * The number of connections that each process opens to PostgreSQL for requests. In addition, it opens half as many
     * for slow reads, three for short reads, four for exports and twenty-one for background work.
     */
    databaseConnections: setting('SUTLER_DATABASE_CONNECTIONS', integer(1, 1000), 10),

    /** The port to listen on. 0 selects a free port, which the log shows. */
    port: setting('PORT', integer(0, 65535), 8080),

    /**
     * The address to listen on. The default is every address of this machine: `::`, which accepts IPv4 as well, or
     * `0.0.0.0` if the machine has no IPv6. With `127.0.0.1` only this machine can reach the server.
     */
    host: setting('HOST', text('an IP address or a host name'), anyAddress()),

    /** The directory for all data of the server: the database, the secret, the files. */
    dataDir: resolve(setting('SUTLER_DATA_DIR', text('a path'), './data')),

    /**
     * The directory for uploaded files. The default is `files` in the data directory. Several processes on one database
     * need a directory that all of them can access, or a bucket.
     */
    filesDir: setting('SUTLER_FILES_DIR', text('a path'), undefined),

    /**
     * The bucket of an S3-compatible store for uploaded files, instead of the directory, which then holds them only
     * during the upload. Set it together with SUTLER_S3_ACCESS_KEY_ID and SUTLER_S3_SECRET_ACCESS_KEY. Two databases
     * must not share a bucket.
     */
    s3Bucket: setting('SUTLER_S3_BUCKET', text('the name of a bucket'), undefined),

    /**
     * The address of the S3-compatible store, such as `https://s3.example.com`. The default is Amazon S3 in the region.
     */
    s3Endpoint: setting('SUTLER_S3_ENDPOINT', webUrl, undefined),

    /** The region of the bucket. */
    s3Region: setting('SUTLER_S3_REGION', text('the name of a region'), 'us-east-1'),

    /** The access key id for the bucket. The key must allow reading, writing, listing and deleting. */
    s3AccessKeyId: setting('SUTLER_S3_ACCESS_KEY_ID', text('any text'), undefined),

    /** The secret of the access key. */
    s3SecretAccessKey: setting('SUTLER_S3_SECRET_ACCESS_KEY', hiddenText, undefined),

    /**
     * The client id of an application key of the first store, together with SUTLER_CLIENT_SECRET. Each start creates
     * the key, or gives it this secret.
     */
    clientId: setting('SUTLER_CLIENT_ID', text('any text'), undefined),

    /**
     * The client secret of that key, at least 32 characters, for example from `openssl rand -hex 32`. By default the
     * first start generates a client id and a secret, and prints them once.
     */
    clientSecret: setting('SUTLER_CLIENT_SECRET', hiddenText, undefined),

    /**
     * The secret of this installation, at least 32 characters. It signs tokens and seals stored secrets. All processes
     * on one database need the same secret. By default the first start generates one and stores it in the file `secret`
     * in the data directory. The server does not start without the secret that the database was created with.
     */
    secret: setting('SUTLER_SECRET', secretText, undefined),

    /**
     * The previous secret. Its tokens and sealed values stay valid, but nothing new is signed or sealed with it. Set it
     * for 25 hours after you replace the secret. See docs/secret.md.
     */
    previousSecret: setting('SUTLER_PREVIOUS_SECRET', secretText, undefined),

    /**
     * `true` starts without the secret that the database was created with, if that secret is lost. Everyone is signed
     * out, and you must set the secrets of OIDC profiles, gateways and integrations again.
     */
    forgetSecret: setting('SUTLER_FORGET_SECRET', onOrOff, false),

    /**
     * The address that clients use for the server, such as `https://shop.example.com`. Links and tokens contain it. The
     * default is the Host header of each request.
     */
    baseUrl: setting('SUTLER_BASE_URL', webUrl, undefined),

    /**
     * The proxies whose X-Forwarded-For, -Proto and -Host headers the server trusts: IP addresses and ranges, separated
     * by commas, such as `10.0.0.0/8`. `loopback` is this machine, `uniquelocal` all private networks. The default is
     * none, because any client can send these headers.
     */
    trustProxy: setting('SUTLER_TRUST_PROXY', proxies, false),

    /**
     * `false` sends lists, catalog pages and exports as they are, also to clients that accept compressed ones. Set it
     * behind a proxy that compresses, which then does so for every response.
     */
    compresses: setting('SUTLER_COMPRESS', onOrOff, true),

    /**
     * `false` lets all requests wait, however many there are. By default the server refuses some with 503 while more
     * come than it can serve. See docs/operating.md.
     */
    refusesOverload: setting('SUTLER_REFUSE_OVERLOAD', onOrOff, true),

    /**
     * The networks besides the public internet where OpenID Connect providers may be: IP addresses and ranges,
     * separated by commas, `loopback` for this machine, `uniquelocal` for all private networks. The default is none:
     * merchants choose the addresses of providers, and must not reach hosts that only this server can reach.
     */
    providerNetworks: setting('SUTLER_PROVIDER_NETWORKS', networks, undefined),

    /**
     * The networks besides the public internet where webhooks and queues of integrations may be, written like
     * SUTLER_PROVIDER_NETWORKS. The default is none: merchants choose these addresses, and must not reach hosts that
     * only this server can reach.
     */
    webhookNetworks: setting('SUTLER_WEBHOOK_NETWORKS', networks, undefined),

    /**
     * The mail server for one-time passwords, as `smtp://user:password@host:587` (or `smtps://`). By default the server
     * sends no mail: a service that reads the event must send the password.
     */
    smtpUrl: setting('SUTLER_SMTP_URL', smtpUrl, undefined),

    /** The sender of mail, as `Shop <shop@example.com>`. Set it together with SUTLER_SMTP_URL. */
    mailFrom: setting('SUTLER_MAIL_FROM', mailbox, undefined),

    /** The address of Stripe's API, for a double of it in tests. Merchants set their keys at the gateways. */
    stripeUrl: setting('SUTLER_STRIPE_URL', webUrl, 'https://api.stripe.com'),

    /**
     * `true` lets application keys choose the id of an object that they create, in the header X-Sutler-Id. Set it while
     * you copy a store from another server, so that its ids stay the same. See docs/moving.md.
     */
    keepsIds: setting('SUTLER_KEEP_IDS', onOrOff, false),

    /** The lowest level to log: trace, debug, info, warn, error, fatal, or silent for none. */
    logLevel: setting('LOG_LEVEL', oneOf(logLevels), 'info'),

    /** A request that takes the server longer than this many milliseconds is logged, with where the time went. */
    slowMs: setting('SUTLER_SLOW_MS', integer(1, 3_600_000), 500),

    /** The port of the metrics for Prometheus, at `/metrics`. 0 selects a free port. By default there are none. */
    metricsPort: setting('SUTLER_METRICS_PORT', integer(0, 65535), undefined),

    /** The address to listen on for metrics. Anyone who can reach it can read them. */
    metricsHost: setting('SUTLER_METRICS_HOST', text('an IP address or a host name'), '127.0.0.1'),

    /**
     * The collector that traces are sent to by OTLP over HTTP, such as `http://localhost:4318`; `/v1/traces` is added.
     * By default there are no traces.
     */
    traceEndpoint: setting('OTEL_EXPORTER_OTLP_ENDPOINT', webUrl, undefined),

    /** Headers for the collector, as `name=value,name=value`, for example a key. */
    traceHeaders: setting('OTEL_EXPORTER_OTLP_HEADERS', headerList, undefined),

    /** The share of traces that are sent, from 0 to 1. */
    traceShare: setting('OTEL_TRACES_SAMPLER_ARG', share, 1),

    /** The name of this server in traces. */
    serviceName: setting('OTEL_SERVICE_NAME', text('any text'), 'sutler'),

    /**
     * `true` refuses new passwords that are among the most common. It also requires that shoppers who change their
     * password, email address or username send the current password (`current_password`) or have signed in within the
     * last ten minutes. Off by default, because clients that know only the public contract cannot send it.
     */
    strictPasswords: setting('SUTLER_STRICT_PASSWORDS', onOrOff, false),

    /** `off` serves no console at `/console`. It is a page that talks to the API as any other client does. */
    console: setting('SUTLER_CONSOLE', oneOf(['on', 'off']), 'on'),

    /**
     * `true` lets shoppers ask why they see a catalog and its prices (`Prefer: explain`). Off by default, because the
     * answer reveals the merchant's rules and price books.
     */
    explainsToShoppers: setting('SUTLER_EXPLAIN_TO_SHOPPERS', onOrOff, false),

    /**
     * How many writes of shoppers each process takes from one address in a minute, for each store; beyond it the
     * response is 429. Writes with the secret of an application key do not count. Behind a proxy set
     * SUTLER_TRUST_PROXY, or all shoppers share its address.
     */
    shopperWritesMax: setting('SUTLER_SHOPPER_WRITES_PER_MINUTE', integer(1, 1_000_000_000), 6000),

    /**
     * How many requests a second each store, application key, signed-in shopper and address may send, as
     * `store:200,key:100,shopper:20,address:50`; beyond it the response is 429. What is left out has no limit. A rate
     * holds for all processes together. `sutler store rate` gives one store its own rates. By default there are none.
     * See docs/operating.md.
     */
    requestRates: setting('SUTLER_RATE', requestRates, undefined),

    /** The lifetime of an access token in seconds. Keep it short: a single token cannot be revoked. */
    tokenLifetimeS: setting('SUTLER_TOKEN_LIFETIME_S', integer(1, 31_536_000), 3600),
  }

  // Of a value that is wrong it is not known whether it is set.
  if (faults.length === 0) faults.push(...faultsOfPairs(config))
  return { config, settings, faults, unknown: unknown() }
}

/** The directory of uploaded files, or only of their drafts if there is a bucket. */
export const filesDirOf = ({ filesDir, dataDir }: Pick<Config, 'filesDir' | 'dataDir'>): string =>
  filesDir === undefined ? join(dataDir, 'files') : resolve(filesDir)

/** The bucket for uploaded files, if there is one. */
export function bucketOf(config: Config) {
  const { s3Bucket: name, s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config
  if (!name || !accessKeyId || !secretAccessKey) return undefined
  return { name, accessKeyId, secretAccessKey, region: config.s3Region, endpoint: config.s3Endpoint }
}

type DataDir = Pick<Config, 'dataDir'>

export const secretFile = ({ dataDir }: DataDir): string => join(dataDir, 'secret')

/** The secret of the installation: the setting, or else the file that the first start created. */
export function findSecret({ secret, dataDir }: Pick<Config, 'secret'> & DataDir): string | undefined {
  if (secret !== undefined) return secret
  const file = secretFile({ dataDir })
  const content = withSecretFile(file, () => readIfThere(file))
  if (content === undefined || content.length >= secretCharsMin) return content
  throw new StartupError(
    `${file} holds fewer than ${secretCharsMin} characters: restore it, or set SUTLER_SECRET`,
  )
}

/** Generates a secret and stores it in the file. */
export function makeSecret({ dataDir }: DataDir): string {
  const file = secretFile({ dataDir })
  return withSecretFile(file, () => {
    mkdirSync(dataDir, { recursive: true })
    return createOnce(file, randomBytes(32).toString('base64url'))
  })
}

const previousSecretFile = (dataDir: DataDir): string => `${secretFile(dataDir)}.previous`

/** The secret before the current one: the setting, or else the file that `replaceSecret` has left. */
export function findPreviousSecret({
  secret,
  previousSecret,
  dataDir,
}: Pick<Config, 'secret' | 'previousSecret'> & DataDir): string | undefined {
  if (previousSecret !== undefined || secret !== undefined) return previousSecret
  const file = previousSecretFile({ dataDir })
  return withSecretFile(file, () => readIfThere(file))
}

/** Puts a new secret in the place of the one in the file, which stays beside it as the previous one. */
export function replaceSecret(config: Pick<Config, 'secret' | 'previousSecret'> & DataDir): string {
  if (config.secret !== undefined) {
    throw new StartupRefusal(
      'SUTLER_SECRET is set: give every process a new one, and the old one as SUTLER_PREVIOUS_SECRET',
    )
  }
  const [file, previous] = [secretFile(config), previousSecretFile(config)]
  const current = findSecret(config)
  if (current === undefined) throw new StartupRefusal(`there is no secret in ${file}: start the server once`)
  if (findPreviousSecret(config) !== undefined) {
    throw new StartupRefusal(
      `the previous secret is still set: remove ${previous}, or SUTLER_PREVIOUS_SECRET, when the log says that it is no ` +
        'longer needed',
    )
  }
  return withSecretFile(file, () => {
    // First the copy: an interruption leaves the same secret in both.
    createOnce(previous, current)
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
    renameSync(draft, file)
    return previous
  })
}

function withSecretFile<T>(file: string, work: () => T): T {
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

/** If several processes start at once, one of them writes the whole file and all of them use it. */
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
