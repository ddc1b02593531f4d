/** Languages in which the local model's fixed sentences exist. */
export type Language = 'en' | 'es' | 'ja' | 'zh' | 'de' | 'fr' | 'pt';

interface Texts {
  readonly noModel: string;
  readonly found: string;
  readonly nothing: string;
  readonly choose: string;
  /** The label of a link to a message, by its number. */
  readonly message: string;
}

/** `noModel` is said in every reply: nobody should take a search for a model's answer. */
export const LOCAL_TEXTS: Readonly<Record<Language, Texts>> = {
  en: {
    noModel: 'No model is configured, so this is a search of this session, not an answer.',
    found: 'Related messages:',
    nothing: 'Nothing in this session matches your message.',
    choose: 'To chat with a model, run the command **Threadkeeper: Select Model**.',
    message: 'message',
  },
  es: {
    noModel: 'No hay ningún modelo configurado: esto es una búsqueda en esta sesión, no una respuesta.',
    found: 'Mensajes relacionados:',
    nothing: 'Nada en esta sesión coincide con su mensaje.',
    choose: 'Para chatear con un modelo, ejecute el comando **Threadkeeper: Select Model**.',
    message: 'mensaje',
  },
  ja: {
    noModel: 'モデルが設定されていないため、これは回答ではなく、このセッションの検索結果です。',
    found: '関連するメッセージ:',
    nothing: 'このセッションには、メッセージに一致するものがまだありません。',
    choose: 'モデルと対話するには、コマンド **Threadkeeper: Select Model** を実行してください。',
    message: 'メッセージ',
  },
  zh: {
    noModel: '尚未配置模型,因此这是对本会话的搜索结果,而不是回答。',
    found: '相关消息:',
    nothing: '本会话中暂时没有与您的消息匹配的内容。',
    choose: '要与模型对话,请运行命令 **Threadkeeper: Select Model**。',
    message: '消息',
  },
  de: {
    noModel: 'Es ist kein Modell eingerichtet: Dies ist eine Suche in dieser Sitzung, keine Antwort.',
    found: 'Verwandte Nachrichten:',
    nothing: 'In dieser Sitzung passt nichts zu Ihrer Nachricht.',
    choose: 'Um mit einem Modell zu chatten, führen Sie den Befehl **Threadkeeper: Select Model** aus.',
    message: 'Nachricht',
  },
  fr: {
    noModel: 'Aucun modèle n’est configuré : ceci est une recherche dans cette session, pas une réponse.',
    found: 'Messages associés :',
    nothing: 'Rien dans cette session ne correspond à votre message.',
    choose: 'Pour discuter avec un modèle, exécutez la commande **Threadkeeper: Select Model**.',
    message: 'message',
  },
  pt: {
    noModel: 'Nenhum modelo está configurado: isto é uma pesquisa nesta sessão, não uma resposta.',
    found: 'Mensagens relacionadas:',
    nothing: 'Nada nesta sessão corresponde à sua mensagem.',
    choose: 'Para conversar com um modelo, execute o comando **Threadkeeper: Select Model**.',
    message: 'mensagem',
  },
};

/** Words that are frequent in one of the languages and rare in the others. */
const STOP_WORDS: ReadonlyMap<Language, ReadonlySet<string>> = new Map([
  ['en', words('the is are was did do does we what why how of with and for this you it to which have')],
  ['es', words('el los las una qué cómo por es está con para y del hemos cuál dónde lo que la nos')],
  ['de', words('der die das ist und nicht wir wie warum mit für ein eine haben was wurde welche den auf')],
  ['fr', words('le les des est et nous pourquoi comment avec pour une dans quel quelle avons où du que la')],
  ['pt', words('os as uma não é está com para por que nós qual onde foi do da em o')],
]);

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/**
 * The language of the first of these texts that shows one, by its script, else by its most frequent words; English
 * where none tells. A text that holds kana is Japanese, one with Han characters alone Chinese.
 */
export function languageOf(...texts: readonly string[]): Language {
  for (const text of texts) {
    if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'ja';
    if (/\p{Script=Han}/u.test(text)) return 'zh';
    const found = byWords(text);
    if (found !== undefined) return found;
  }
  return 'en';
}

function byWords(text: string): Language | undefined {
  const spoken = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  let best: Language | undefined;
  let most = 0;
  for (const [language, known] of STOP_WORDS) {
    const count = spoken.filter((word) => known.has(word)).length;
    if (count > most) [best, most] = [language, count];
  }
  return best;
}
