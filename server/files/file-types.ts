/** A kind of file that a merchant may keep. */
export interface FileType {
  readonly mime: string
  /** It has a width and a height, which are told. */
  readonly isPicture?: true
  /** A browser runs what is in it. */
  readonly runs?: true
}

const office = 'application/vnd.openxmlformats-officedocument'

/** By the end of its name. What is said to be another type is what its name says: nothing else is believed. */
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

/** What a name ends in, in lower case; empty where it has no such end. */
export const extensionOf = (name: string): string => /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''

/** The type of files whose names end so, if such are kept. */
export const typeOf = (extension: string): FileType | undefined =>
  Object.hasOwn(fileTypes, extension) ? fileTypes[extension] : undefined

/** How the name of a file of this type would end, if such are kept. */
export const extensionFor = (mime: string): string | undefined =>
  extensions.find((extension) => fileTypes[extension]?.mime === mime)
