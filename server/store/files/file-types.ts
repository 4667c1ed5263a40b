/** A type of file that a merchant may store. */
interface FileType {
  readonly mime: string
  /** It has a width and a height, which responses show. */
  readonly isPicture?: true
  /** A browser runs its content. */
  readonly runs?: true
}

const office = 'application/vnd.openxmlformats-officedocument'

/** File types by the extension of the name. Only the name decides, not the media type that a client sends. */
const fileTypes: Readonly<Record<string, FileType>> = {
  gif: { mime: 'image/gif', isPicture: true },
  jpg: { mime: 'image/jpeg', isPicture: true },
  jpeg: { mime: 'image/jpeg', isPicture: true },
  png: { mime: 'image/png', isPicture: true },
  webp: { mime: 'image/webp', isPicture: true },
  jp2: { mime: 'image/jp2', isPicture: true },
  jxr: { mime: 'image/jxr' },
  svg: { mime: 'image/svg+xml', runs: true },
  mp4: { mime: 'video/mp4' },
  mov: { mime: 'video/quicktime' },
  aac: { mime: 'audio/aac' },
  pdf: { mime: 'application/pdf' },
  usdz: { mime: 'model/vnd.usdz+zip' },
  glb: { mime: 'model/gltf-binary' },
  vrml: { mime: 'model/vrml' },
  doc: { mime: 'application/msword' },
  docx: { mime: `${office}.wordprocessingml.document` },
  ppt: { mime: 'application/vnd.ms-powerpoint' },
  pptx: { mime: `${office}.presentationml.presentation` },
  xls: { mime: 'application/vnd.ms-excel' },
  xlsx: { mime: `${office}.spreadsheetml.sheet` },
  txt: { mime: 'text/plain' },
  bin: { mime: 'application/octet-stream' },
}

export const extensions: readonly string[] = Object.keys(fileTypes)

/** The extension of a name, in lower case; empty if there is none. */
export const extensionOf = (name: string): string => /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''

/** The type with this extension, if it is supported. */
export const findType = (extension: string): FileType | undefined =>
  Object.hasOwn(fileTypes, extension) ? fileTypes[extension] : undefined

/** The extension for a media type, if it is supported. */
export const findExtension = (mime: string): string | undefined =>
  extensions.find((extension) => fileTypes[extension]?.mime === mime)
