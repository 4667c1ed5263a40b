import { foldText } from '../sources/words.ts'

/** Stop words by language: articles and the most common prepositions and conjunctions. */
const lists: Readonly<Record<string, string>> = {
  da: 'af at de den der det du en er et for fra i med of og om på som til ved vi',
  de: 'als am an auf aus bei das dem den der des die ein eine einem einen einer eines für im in ist mit oder und vom von zu zum zur',
  en: 'a an and are as at be by for from in is it of on or that the this to with',
  es: 'a al con de del el en es la las lo los o para por que se su un una unas unos y',
  fi: 'ei ja joka kun me ne on se että tai',
  fr: 'à au aux avec ce ces dans de des du en est et la le les ou par pour que sur un une',
  it: 'a ad ai al alla con da dal dalla dei del della delle di e è gli i il in la le lo nel nella o per su un una uno',
  nb: 'av de den det en er et for fra i med og om på som til ved',
  nl: 'aan als bij de den der die dit een en het in is met of om op te tot uit van voor',
  pl: 'a do i na o od po w we z za ze',
  pt: 'a ao aos as com da das de do dos e em na nas no nos o ou os para por que um uma',
  sv: 'av de den det en ett för från i med och om på som till vid är',
}

const words = new Map([
  ...Object.entries(lists).map(
    ([language, list]) => [language, new Set(list.split(' ').map(foldText))] as const,
  ),
])
const aliases: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb' }

/** The language of a request that names none. */
const defaultLanguage = 'en'

/** Returns whether a folded word is a stop word in one of the languages. */
export function findStopWords(languages: readonly string[]): (word: string) => boolean {
  const tags = languages.map((tag) => tag.toLowerCase().split(/[-_]/, 1)[0] as string)
  const lists = (tags.length ? tags : [defaultLanguage]).flatMap(
    (tag) => words.get(aliases[tag] ?? tag) ?? [],
  )
  return (word) => lists.some((list) => list.has(word))
}
