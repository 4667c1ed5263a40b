import { Button } from '../parts/button.tsx'
import parts from '../parts/parts.module.css'
import { words } from '../words/words.ts'
import type { UploadOfForm } from './use-upload.ts'

/** How much of a form has been sent, and the way to stop it. */
export const UploadProgress = ({ progress = 0, stop }: UploadOfForm) => (
  <div className={parts.row} role="status">
    <progress value={progress} aria-label={words.upload.progress} />
    <span>{progress < 1 ? words.upload.sent(progress) : words.upload.waiting}</span>
    <Button onClick={stop}>{words.upload.stop}</Button>
  </div>
)
