import { Problem } from '../../kernel/errors.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { add } from '../../kernel/write/by-rules.ts'
import { extensionOf, findType } from './file-types.ts'
import { files } from './files.ts'

/** Of a URL. */
export const locationCharsMax = 2048

/** Creates a file that is hosted elsewhere. The URL is not opened. */
export function referTo(work: Ctx, location: string) {
  const url = URL.parse(location)
  if (!url || !/^https?:$/.test(url.protocol) || location.length > locationCharsMax)
    throw invalidUrl(location)
  const last = url.pathname.split('/').findLast(Boolean) ?? ''
  const mime_type = findType(extensionOf(last))?.mime ?? 'application/octet-stream'
  return add(work, files, [], { mime_type, file_size: 0, location: url.href }, work.chosenId)
}

const invalidUrl = (location: string) =>
  new Problem('unprocessable', `${location.slice(0, locationCharsMax)} is not a valid URL`, {
    title: 'file_location invalid',
    source: 'file_location',
  })
