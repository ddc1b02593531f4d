/** Stop words by language, normalized like indexed words, without those that may be a subject ("will", "may"). */
const STOP_WORDS: Readonly<Record<string, string>> = {
  en: `the an and or but if of at by for with about to from in on off into as is are was were be been being am do does
    did done have has had it its we us our you your they them their he she his her me my what which who whom whose when
    where why how that this these those there here can could should would shall will than then so not no again just
    didn doesn isn wasn aren weren hasn haven hadn couldn wouldn shouldn any some tell say said know remember please
    let lets`,
  de: `der die das den dem des ein eine einen einem einer und oder aber wenn als von vom bei beim fur mit uber zu zum zur
    aus in im an am auf ist sind war waren sein bin bist tun tut tat hat haben hatte hatten es wir uns unser unsere ihr
    euch sie ihnen er ihm ich mir mich dir dich sich mein was welche welcher welches welchen wer wen wem wessen wann wo warum wieso wie
    dass dies diese dieser dieses hier da kann konnte soll sollte wird wurde wurden werden denn so nicht kein keine noch
    mal doch auch nochmal bitte`,
  fr: `le la les un une des du de et ou mais si au aux par pour avec sur dans en est sont etait etaient etre suis es fait
    faire ai as avons avez ont avait il elle on nous vous ils elles notre nos votre vos leur je tu me mon ma mes que qui
    quoi quel quelle quels quelles dont quand ou pourquoi comment ce cet cette ces cela ca ici ne pas plus deja donc`,
  es: `el la los las lo un una unos unas y o pero si de del al por para con sobre en es son era eran fue fueron ser estar
    esta estan hace hizo he ha hemos han habia nos nosotros vosotros ellos ella el yo tu mi mis su sus nuestro nuestra que
    quien quienes cual cuales cuando donde porque como este esta estos estas eso esto aqui no ya se me te`,
  pt: `o a os as um uma uns umas e ou mas se de do da dos das ao aos por pelo pela para com sobre em no na nos nas sao era
    eram foi foram ser estar esta estao faz fez tem temos tinha ele ela eles elas eu tu nos voce voces meu minha nosso
    nossa que quem qual quais quando onde porque como este esta isso isto aqui nao ja me te`,
};

export const STOP_WORDS_BY_LANGUAGE: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(STOP_WORDS).map(([language, words]) => [language, new Set(words.split(/\s+/))]),
);

const ANY_LANGUAGE: ReadonlySet<string> = new Set([...STOP_WORDS_BY_LANGUAGE.values()].flatMap((words) => [...words]));

/** Whether a normalized word is a stop word in any supported language. */
export const isStopWord = (word: string): boolean => ANY_LANGUAGE.has(word);
