/** Languages of the local model's fixed sentences. */
export type Language = 'en' | 'es' | 'ja' | 'zh' | 'de' | 'fr' | 'pt';

/**
 * Every reply contains `noModel`, so that nobody mistakes a search for a model's answer. `message` is the word before the
 * message's number in a link.
 */
export const LOCAL_TEXTS: Readonly<Record<Language, Record<'noModel' | 'found' | 'nothing' | 'message', string>>> = {
  en: {
    noModel:
      'No model is configured. To get an answer, select a model: run the command **Threadkeeper: Select Model**.',
    found: 'Found in this session:',
    nothing: 'Nothing in this session matches your message.',
    message: 'message',
  },
  es: {
    noModel:
      'No hay ningún modelo configurado. Para obtener una respuesta, seleccione un modelo: ejecute el comando **Threadkeeper: Select Model**.',
    found: 'Encontrado en esta sesión:',
    nothing: 'Nada en esta sesión coincide con su mensaje.',
    message: 'mensaje',
  },
  ja: {
    noModel:
      'モデルが設定されていません。回答を得るには、コマンド **Threadkeeper: Select Model** を実行してモデルを選択してください。',
    found: 'このセッションで見つかったもの:',
    nothing: 'このセッションには、メッセージに一致するものはありません。',
    message: 'メッセージ',
  },
  zh: {
    noModel: '尚未配置模型。要获得回答，请运行命令 **Threadkeeper: Select Model** 选择模型。',
    found: '在本会话中找到：',
    nothing: '本会话中没有与你的消息匹配的内容。',
    message: '消息',
  },
  de: {
    noModel:
      'Es ist kein Modell eingerichtet. Um eine Antwort zu erhalten, wählen Sie ein Modell aus: Führen Sie den Befehl **Threadkeeper: Select Model** aus.',
    found: 'In dieser Sitzung gefunden:',
    nothing: 'In dieser Sitzung passt nichts zu Ihrer Nachricht.',
    message: 'Nachricht',
  },
  fr: {
    noModel:
      'Aucun modèle n’est configuré. Pour obtenir une réponse, sélectionnez un modèle : exécutez la commande **Threadkeeper: Select Model**.',
    found: 'Trouvé dans cette session :',
    nothing: 'Rien dans cette session ne correspond à votre message.',
    message: 'message',
  },
  pt: {
    noModel:
      'Nenhum modelo está configurado. Para obter uma resposta, selecione um modelo: execute o comando **Threadkeeper: Select Model**.',
    found: 'Encontrado nesta sessão:',
    nothing: 'Nada nesta sessão corresponde à sua mensagem.',
    message: 'mensagem',
  },
};

/** Frequent words of each language. Some occur in several, so the highest count decides, and a tie decides nothing. */
const STOP_WORDS: readonly (readonly [Language, string])[] = [
  ['en', 'the is are was did do does we what why how of with and for this you it to which have'],
  ['es', 'el los las una qué cómo por es está con para y del hemos cuál dónde lo que la nos'],
  ['de', 'es der die das ist und nicht wir wie warum mit für ein eine haben was wurde welche den auf'],
  ['fr', 'le les des est et nous pourquoi comment avec pour une dans quel quelle avons où du que la'],
  ['pt', 'os as uma não é está com para por que nós qual onde foi do da em o'],
];

/**
 * The language of the first text that reveals one, by its script or else by its most frequent words; English by
 * default. Text with kana is Japanese, with only Han characters Chinese, unless they are only quoted.
 */
export function languageOf(...texts: readonly string[]): Language {
  for (const text of texts) {
    const found = languageByScript(text) ?? languageByStopWords(text);
    if (found !== undefined) return found;
  }
  return 'en';
}

/** A character counts as two words, because such texts often contain Latin names and commands. */
function languageByScript(text: string): Language | undefined {
  const characters = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu) ?? [];
  const words = text.match(/\p{Script=Latin}+/gu) ?? [];
  if (characters.length * 2 <= words.length) return undefined;
  return characters.some((character) => !/\p{Script=Han}/u.test(character)) ? 'ja' : 'zh';
}

function languageByStopWords(text: string): Language | undefined {
  const wordsOfText = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = STOP_WORDS.map(([language, list]) => {
    const known = new Set(list.split(' '));
    return { language, count: wordsOfText.filter((word) => known.has(word)).length };
  });
  const [best, next] = counts.sort((a, b) => b.count - a.count);
  return best!.count > next!.count ? best!.language : undefined;
}
