/** A noun with its indefinite article: "an object", but "a use" and "a unit". */
export const withArticle = (noun: string): string =>
  `${/^(?!uni|use)[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
