import type { Language, Texts, Translations } from './languages.ts';

interface Termbase {
  /** A term of the English text, and how the editor's own translation renders it; one of the words must be there. */
  readonly terms: readonly (readonly [RegExp, RegExp])[];
  /** Forms that a translation must not have, and what to write instead. */
  readonly banned: readonly (readonly [RegExp, string])[];
}

/** Terms as VS Code's own translations have them (microsoft/vscode-loc), and forms that were wrong here. */
const TERMBASES: Readonly<Record<Language, Termbase>> = {
  de: {
    terms: [
      [/\bworkspace\b(?!:)/i, /Arbeitsbereich/],
      [/\bside bar\b/i, /Seitenleiste/],
      [/\brestricted mode\b/i, /eingeschränkte[nrm]? Modus/i],
      [/\bapi keys?\b/i, /API-Schlüssel/],
      [/\bsettings?\b/i, /einstellung/i],
    ],
    banned: [
      [/(?:^|[„ ])[\wäöüß]+ zeigen$/i, '„anzeigen“'],
      [/\bTabs?\b/, '„Registerkarte“'],
      [/nächsten Zug/, '„nächste Anforderung“'],
      [/neu machen|wieder einsetzen|hinterlegen|doppelt dasteht|so viele Nachrichten/, 'ein Verb von VS Code'],
      [/dem nicht vertraut wird/, '„nicht vertrauenswürdig“'],
      [/\b(?:dein|deine|deiner|deinem|deinen|du|dich|dir)\b/i, '„Sie“'],
    ],
  },
  fr: {
    terms: [
      [/\bworkspace\b(?!:)/i, /espace de travail/i],
      [/\bside bar\b/i, /barre latérale/i],
      [/\bapi keys?\b/i, /clés? API|clé d’API/i],
      [/\bsettings?\b/i, /paramètre/i],
    ],
    banned: [
      [/ (?=[:;!?»])/, 'une espace insécable avant : ; ! ?'],
      [/(?<!Copilot )\bchats?\b(?! Completions)/i, '« conversation »'],
      [/par du code|tous les tant|Déployer|Dériver/i, 'le terme de VS Code'],
      [/(?<!\p{L})(?:tu|ton|ta|tes|toi)(?!\p{L})/iu, '« vous »'],
    ],
  },
  es: {
    terms: [
      [/\bworkspace\b(?!:)/i, /área de trabajo/i],
      [/\bside bar\b/i, /barra lateral/i],
      [/\bapi keys?\b/i, /claves? (?:de )?API/i],
      [/\bsettings?\b/i, /configuraci|opci[óo]n/i],
    ],
    banned: [
      [/espacio de trabajo/i, '«área de trabajo»'],
      [/\bañad/i, '«agregar»'],
      [/por código|tantos mensajes|miradas alrededor|Desplegar|se quedó/i, 'el término de VS Code'],
      [/(?<!\p{L})(?:tu|tus|tú|elige|intenta|inténtalo|comprueba|pulsa)(?!\p{L})/iu, '«usted»'],
    ],
  },
  ja: {
    terms: [
      [/\bworkspace\b(?!:)/i, /ワークスペース/],
      [/\bside bar\b/i, /サイド バー/],
      [/\bapi keys?\b/i, /API キー/],
      [/\bsettings?\b/i, /設定/],
    ],
    banned: [
      [
        /サイドバー|ステータスバー|システムプロンプト|サンプルセッション|コンテキストウィンドウ|シークレットストレージ/,
        '分かち書き',
      ],
      [/リクエスト/, '「要求」'],
      [/きっかけ/, '「トリガー」'],
      [/コードで|想起|自前/, 'VS Code の用語'],
    ],
  },
  'zh-cn': {
    terms: [
      [/\bworkspace\b(?!:)/i, /工作区/],
      [/\bside bar\b/i, /侧边栏|侧栏/],
      [/\bapi keys?\b/i, /API 密钥/],
      [/\bsettings?\b/i, /设置/],
    ],
    banned: [[/逐字逐句|用代码|由代码/, 'VS Code 的术语']],
  },
  'pt-br': {
    terms: [
      [/\bworkspace\b(?!:)/i, /workspace|espaço de trabalho/i],
      [/\bside bar\b/i, /barra lateral/i],
      [/\bapi keys?\b/i, /chaves? (?:de )?API/i],
      [/\bsettings?\b/i, /configuraç/i],
    ],
    banned: [[/por código|palavra por palavra/i, 'o termo do VS Code']],
  },
};

/** Where a translation does not keep to the editor's terms, or has a form that is wrong in its language. */
export function judgeTerms(language: Language, english: Translations, translated: Translations): string[] {
  const { terms, banned } = TERMBASES[language];
  const judge = (file: string, from: Texts, to: Texts): string[] =>
    Object.entries(to).flatMap(([key, text]) => {
      const source = (from[key] ?? '').replace(/`[^`]*`|\(command:[^)]*\)|threadkeeper\.[\w.]+/g, '');
      const words = text.replace(/`[^`]*`|\(command:[^)]*\)|threadkeeper\.[\w.]+|https?:\S+/g, '');
      return [
        ...terms.flatMap(([term, own]) =>
          term.test(source) && !own.test(words) ? [`${file}: “${key}” lacks ${String(own)}`] : [],
        ),
        ...banned.flatMap(([form, instead]) => {
          const found = form.exec(words);
          return found ? [`${file}: “${key}” says “${found[0]}”; write ${instead}`] : [];
        }),
      ];
    });
  return [
    ...judge(`l10n/bundle.l10n.${language}.json`, english.code, translated.code),
    ...judge(`package.nls.${language}.json`, english.manifest, translated.manifest),
  ];
}
