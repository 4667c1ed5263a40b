declare module 'stompit' {
  import type { Readable, Transform, Writable } from 'node:stream'

  /** As much of it as the tests use: how frames are read and written. */
  class IncomingFrameStream extends Transform {
    setVersion(version: string): boolean
  }
  export interface IncomingFrame extends Readable {
    readonly command: string
    readonly headers: Readonly<Record<string, string>>
  }
  class OutgoingFrameStream {
    constructor(destination: Writable)
    setVersion(version: string): boolean
    frame(command: string, headers: Readonly<Record<string, string>>): Writable
  }
  const parts: {
    readonly IncomingFrameStream: typeof IncomingFrameStream
    readonly OutgoingFrameStream: typeof OutgoingFrameStream
  }
  export default parts
}
