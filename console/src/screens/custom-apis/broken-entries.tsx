import { useQuery } from '@tanstack/react-query'
import { useRights } from '../../api/rights.ts'
import { Faults, faultTexts } from '../../parts/faults.tsx'
import { screenWords, words } from '../../words/words.ts'
import css from './custom-apis.module.css'
import { type Broken, countBroken } from './design.ts'
import { type Design, questionsOf } from './field-rules.ts'

interface BrokenEntriesProps {
  readonly itemPath: string
  readonly design: Design
  readonly before: Design | undefined
}

/** How many entries break the rules that somebody is about to add. */
export function BrokenEntries({ itemPath, design, before }: BrokenEntriesProps) {
  const { broken: texts } = screenWords.customApis
  const rights = useRights()
  const mayRead = rights.may('read custom-entries')
  const questions = questionsOf(design, before)
  const query = useQuery({
    queryKey: ['broken', itemPath, JSON.stringify(questions)],
    queryFn: ({ signal }) => countBroken(itemPath, questions, signal),
    enabled: questions.length > 0 && mayRead,
    staleTime: 0,
  })
  if (questions.length === 0) return null
  if (!mayRead) return rights.role ? <p className={css.dim}>{texts.mayNotRead(rights.role)}</p> : null
  return (
    <section aria-label={texts.title}>
      <h3>{texts.title}</h3>
      {query.error && <Faults texts={[texts.failed, ...faultTexts(query.error)]} />}
      {query.isPending && <p role="status">{words.loading}</p>}
      {query.data && (
        <>
          <ul aria-live="polite">
            {query.data.broken.map((one) => (
              <li key={one.rule} className={css.outcome} data-refused={one.n ? one.rule : undefined}>
                {brokenText(one, design, query.data.total)}
              </li>
            ))}
          </ul>
          {query.data.broken.some(({ n }) => n !== 0) && <p>{texts.after}</p>}
        </>
      )}
    </section>
  )
}

function brokenText({ rule, n }: Broken, { rules }: Design, total: number): string {
  const { broken: texts, rules: names } = screenWords.customApis
  const { unknown } = texts
  if (n !== undefined)
    return rule === 'allow_null_values'
      ? texts.nulls(n, total)
      : texts.one(n, total, `${names[rule]}: ${String(rules[rule])}`)
  if (rule === 'regex' || rule === 'unique') return unknown[rule]
  return rule === 'min_length' || rule === 'max_length' ? unknown.length : unknown.other
}
