import type { Work } from '../kernel/context.ts'
import { Problem } from '../kernel/errors.ts'
import { add } from '../kernel/operations.ts'
import { extensionOf, typeOf } from './file-types.ts'
import { files } from './files.ts'

const locationCharsMax = 2048

/** Remembers where a file is that is kept elsewhere. Nobody looks whether it is there. */
export function referTo(work: Work, location: string) {
  const url = URL.parse(location)
  if (!url || !/^https?:$/.test(url.protocol) || location.length > locationCharsMax) throw notValid(location)
  const file_name = nameIn(url)
  const mime_type = typeOf(extensionOf(file_name))?.mime ?? 'application/octet-stream'
  return add(work, files, [], { file_name, mime_type, file_size: 0, location: url.href })
}

/** The last part of the path, as people read it. */
function nameIn({ pathname, host }: URL): string {
  const last = pathname.split('/').findLast(Boolean) ?? host
  return decoded(last).slice(-255).toWellFormed()
}

function decoded(text: string): string {
  try {
    const name = decodeURIComponent(text)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what no name has.
    return /[\x00-\x1f\x7f]/.test(name) ? text : name
  } catch {
    return text
  }
}

const notValid = (location: string) =>
  new Problem('unprocessable', `${location.slice(0, locationCharsMax)} is not a valid URL`, {
    title: 'file_location invalid',
    source: 'file_location',
  })
