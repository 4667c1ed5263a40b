import { ApiProblem } from '../api/problem.ts'
import { words } from '../words/words.ts'
import css from './parts.module.css'

/** The sentences of a refusal. */
export const faultTexts = (error: unknown): readonly string[] =>
  error instanceof ApiProblem && error.faults.length
    ? error.faults.map(({ title, detail }) => detail ?? title)
    : [error instanceof ApiProblem && error.status === 0 ? words.list.noAnswer : String(error)]

/** What is wrong, at once read to those who do not see it. */
export const Faults = ({ texts }: { readonly texts: readonly string[] }) =>
  texts.length > 0 && (
    <div role="alert" className={css.alert}>
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  )
