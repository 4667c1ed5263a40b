import { disableTypes, imageSize, types } from 'image-size'

// Fewer formats mean fewer ways to attack the parser.
const formats = ['gif', 'jpg', 'png', 'webp', 'jp2']
disableTypes(types.filter((type) => !formats.includes(type)))

/** How much of an image is read. Only a colour profile, at most, precedes the width and height. */
export const headBytesMax = 256 * 1024

interface Dimensions {
  readonly width: number
  readonly height: number
}

/** Reads the width and height of an image from its first bytes, if they are there. */
export function readDimensions(head: Uint8Array): Dimensions | undefined {
  try {
    // A copy, because the library would read behind the end of a shared buffer.
    const { width, height } = imageSize(new Uint8Array(head))
    return isLength(width) && isLength(height) ? { width, height } : undefined
  } catch {
    // It is not an image, whatever its name says.
    return undefined
  }
}

const isLength = (n: number) => Number.isSafeInteger(n) && n > 0
