import { disableTypes, imageSize, types } from 'image-size'

// Who looks at fewer formats can be misled by fewer.
const formats = ['gif', 'jpg', 'png', 'webp', 'jp2']
disableTypes(types.filter((type) => !formats.includes(type)))

/** How much of a picture is looked at: what is before its width and height is seldom more than a colour profile. */
export const headBytesMax = 256 * 1024

interface Dimensions {
  readonly width: number
  readonly height: number
}

/** The width and the height of a picture, from its first bytes; undefined where they do not say. */
export function readDimensions(head: Uint8Array): Dimensions | undefined {
  try {
    // In memory of its own: the library would read what lies behind the end.
    const { width, height } = imageSize(new Uint8Array(head))
    return isLength(width) && isLength(height) ? { width, height } : undefined
  } catch {
    // It is no picture, whatever its name says.
    return undefined
  }
}

const isLength = (n: number) => Number.isSafeInteger(n) && n > 0
