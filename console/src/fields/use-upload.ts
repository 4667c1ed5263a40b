import { useEffect, useRef, useState } from 'react'
import type { Response } from '../api/client.ts'
import { upload } from '../api/upload.ts'

export interface UploadOfForm {
  /** How much of the form has been sent, from 0 to 1; undefined while nothing is sent. */
  readonly progress: number | undefined
  /** Resolves to undefined if it was stopped. */
  start(path: string, parts: FormData): Promise<Response | undefined>
  stop(): void
}

/** Sends a form with files, one at a time. What is under way ends with the screen. */
export function useUpload(): UploadOfForm {
  const [progress, setProgress] = useState<number>()
  const end = useRef<AbortController>(undefined)
  useEffect(() => () => end.current?.abort(), [])
  return {
    progress,
    async start(path, parts) {
      const stopper = new AbortController()
      const { signal } = stopper
      end.current = stopper
      setProgress(0)
      try {
        return await upload({ path, parts, signal, onProgress: setProgress })
      } catch (error) {
        if (signal.aborted) return undefined
        throw error
      } finally {
        setProgress(undefined)
      }
    },
    stop: () => end.current?.abort(),
  }
}
