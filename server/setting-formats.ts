import type { BlockList } from 'node:net'
import { parseRequestRates, type RequestRates, requestRatesAccepted } from './kernel/auth/request-rates.ts'
import { rangesOf } from './platform/sockets/addresses.ts'

const examples = 'separated by commas, such as 10.0.0.0/8, 192.0.2.7 or loopback'

/** How short a secret may be. */
export const secretCharsMin = 32

/** How to read one kind of value. */
export interface Format<T> {
  /** What is accepted, in words. */
  readonly accepts: string
  /** The value is or may contain a secret; messages do not repeat it. */
  readonly hidden?: boolean
  /** Undefined if the text is not such a value. */
  read(value: string): T | undefined
}

export function text(accepts: string): Format<string> {
  return { accepts, read: (value) => value }
}

export const hiddenText: Format<string> = { accepts: 'any text', hidden: true, read: (value) => value }

export function integer(min: number, max: number): Format<number> {
  return {
    accepts: `a whole number from ${min} to ${max}`,
    read(value) {
      const number = Number(value)
      return /^\d+$/.test(value) && number >= min && number <= max ? number : undefined
    },
  }
}

/** A part of a whole. */
export const share: Format<number> = {
  accepts: 'a number from 0 to 1',
  read(value) {
    const number = Number(value)
    return /^\d*\.?\d+$/.test(value) && number <= 1 ? number : undefined
  },
}

/** Headers as OpenTelemetry writes them: their values are percent-encoded. */
export const headerList: Format<Readonly<Record<string, string>>> = {
  accepts: 'headers as name=value,name=value',
  hidden: true,
  read(value) {
    const pairs = value.split(',').map((pair) => /^\s*([\w-]+)\s*=\s*([^\s,]+)\s*$/.exec(pair))
    if (pairs.some((pair) => !pair)) return undefined
    try {
      return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', decodeURIComponent(pair?.[2] ?? '')]))
    } catch {
      return undefined
    }
  },
}

export const onOrOff: Format<boolean> = {
  accepts: 'true or false',
  read: (value) => (/^(true|false)$/.test(value) ? value === 'true' : undefined),
}

export function oneOf<const T extends string>(values: readonly T[]): Format<T> {
  return { accepts: `one of ${values.join(', ')}`, read: (value) => values.find((one) => one === value) }
}

export const requestRates: Format<RequestRates> = { accepts: requestRatesAccepted, read: parseRequestRates }

export const secretText: Format<string> = {
  accepts: `at least ${secretCharsMin} characters`,
  hidden: true,
  read: (value) => (value.length >= secretCharsMin ? value : undefined),
}

export const postgresUrl: Format<string> = {
  accepts: 'a URL such as postgres://user:password@host:5432/database',
  hidden: true,
  // Not parsed further: PostgreSQL accepts URLs with a Unix socket or several hosts, `URL` does not.
  read: (value) => (/^postgres(ql)?:\/\/./.test(value) ? value : undefined),
}

export const postgresUrls: Format<readonly string[]> = {
  accepts: 'URLs such as postgres://user:password@host:5432/database, separated by commas',
  hidden: true,
  read(value) {
    // A URL may name several hosts, with commas between them.
    const urls = value.split(/,\s*(?=postgres(?:ql)?:)/)
    return urls.every((url) => postgresUrl.read(url) !== undefined) ? urls : undefined
  },
}

export const smtpUrl: Format<string> = {
  accepts: 'a URL such as smtp://user:password@host:587',
  hidden: true,
  read: (value) => (/^smtps?:$/.test(URL.parse(value)?.protocol ?? '') ? value : undefined),
}

/** A mailbox as mail programs write it, with or without a name. */
export const mailbox: Format<string> = {
  accepts: 'an address such as Shop <shop@example.com>',
  read: (value) => (/^([^<>@]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(value) ? value : undefined),
}

export const webUrl: Format<string> = {
  accepts: 'an http or https URL without query or fragment, such as https://shop.example.com',
  read(value) {
    const url = URL.parse(value)
    if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) return undefined
    return url.href.replace(/\/+$/, '')
  },
}

// A number of hops is not accepted: a client that reaches the server directly can send as many as it likes.
// Neither is `true` for any proxy: every client would be one.
export const proxies: Format<false | string> = {
  accepts: `the IP addresses or ranges of the proxies, ${examples}`,
  read(value) {
    if (value === 'false') return false
    return rangesOf(value) && value.replaceAll(/\s/g, '')
  },
}

export const networks: Format<BlockList> = { accepts: `IP addresses or ranges, ${examples}`, read: rangesOf }
