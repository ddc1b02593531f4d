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
      [/\brequests?\b/i, /Anforderung/],
      [/\bresponses?\b/i, /antwort/i],
      [/\bselect(?:ed|s)?\b/i, /w[äa]hl/i],
      [/\bcontext window\b/i, /Kontextfenster/],
      [/\bproviders?\b/i, /anbieter/i],
      [/\bsessions?\b/i, /sitzung/i],
      [/\bundo(?:ne)?\b/i, /rückgängig/i],
      [/\blog\b/i, /Protokoll/],
      [/\bstatus bar\b/i, /Statusleiste/],
      [/\bkey events?\b/i, /Schlüsselereignis/],
      [/\bcompress(?:ed|es|ions?)?\b/i, /komprimier/i],
      [/\bsummar(?:y|ies)\b/i, /zusammenfassung/i],
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
      [/\brequests?\b/i, /demande/i],
      [/\bresponses?\b/i, /réponse/i],
      [/\bselect(?:ed|s)?\b/i, /sélection/i],
      [/\bcontext window\b/i, /fenêtre de contexte/i],
      [/\bproviders?\b/i, /fournisseur/i],
      [/\bundo(?:ne)?\b/i, /annul/i],
      [/\blog\b/i, /journal/i],
      [/\bstatus bar\b/i, /barre d’état/i],
      [/\brestricted mode\b/i, /mode restreint/i],
      [/\btokens?\b/i, /jeton/i],
    ],
    banned: [
      [/ (?=[:;!?»%])|« /, 'une espace insécable avant : ; ! ? » % et après «'],
      [/(?<!Copilot )\bchats?\b(?! Completions)/i, '« conversation »'],
      [/par du code|tous les tant|Déployer|Dériver/i, 'le terme de VS Code'],
      [/requête/i, '« demande »'],
      [/(?<!\p{L})choisi/iu, '« sélectionner »'],
      [/(?<!\p{L})(?:tu|ton|ta|tes|toi)(?!\p{L})/iu, '« vous »'],
    ],
  },
  es: {
    terms: [
      [/\bworkspace\b(?!:)/i, /área de trabajo/i],
      [/\bside bar\b/i, /barra lateral/i],
      [/\bapi keys?\b/i, /claves? (?:de )?API/i],
      [/\bsettings?\b/i, /configuraci|opci[óo]n/i],
      [/\brequests?\b/i, /solicitud|a petición/i],
      [/\bresponses?\b/i, /respuesta|respond/i],
      [/\bselect(?:ed|s)?\b/i, /selec/i],
      [/\bcontext window\b/i, /ventana de contexto/i],
      [/\bproviders?\b/i, /proveedor/i],
      [/\bundo(?:ne)?\b/i, /desh(?:acer|ech[oa]|izo|icieron)/i],
      [/\blog\b/i, /registro/i],
      [/\bstatus bar\b/i, /barra de estado/i],
      [/\brestricted mode\b/i, /modo restringido/i],
      [/\bverbatim\b/i, /textual|literal/i],
    ],
    banned: [
      [/espacio de trabajo/i, '«área de trabajo»'],
      [/archivos? adjuntos?/i, '«datos adjuntos»'],
      [/\bañad/i, '«agregar»'],
      [/(?<!\p{L})eli(?:ja|gió|ge)/iu, '«seleccionar»'],
      [/(?<!\p{L})fijar|desfij/iu, '«anclar»'],
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
      [/\brequests?\b/i, /要求|要望/],
      [/\bresponses?\b/i, /応答/],
      [/\bselect(?:ed|s)?\b/i, /選択/],
      [/\bcontext window\b/i, /コンテキスト ウィンドウ/],
      [/\bproviders?\b/i, /プロバイダー/],
      [/\bundo(?:ne)?\b/i, /元に戻/],
      [/\bstatus bar\b/i, /ステータス バー/],
      [/\brestricted mode\b/i, /制限モード/],
      [/\btokens?\b/i, /トークン/],
    ],
    banned: [
      [
        /サイドバー|ステータスバー|システムプロンプト|サンプルセッション|コンテキストウィンドウ|シークレットストレージ/,
        '分かち書き',
      ],
      [/リクエスト/, '「要求」'],
      [/返信/, '「応答」'],
      [/キー ?イベント/, '「重要事項」'],
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
      [/\brequests?\b/i, /请求|需求/],
      [/\bresponses?\b/i, /响应/],
      [/\bselect(?:ed|s)?\b/i, /选/],
      [/\bcontext window\b/i, /上下文窗口/],
      [/\bproviders?\b/i, /提供程序/],
      [/\bundo(?:ne)?\b/i, /撤消/],
      [/\bstatus bar\b/i, /状态栏/],
      [/\brestricted mode\b/i, /受限模式/],
      [/\btokens?\b/i, /令牌/],
    ],
    banned: [
      [/逐字逐句|用代码|由代码|撤销|词元|提供方/, 'VS Code 的术语'],
      [/您/, '“你”'],
    ],
  },
  'pt-br': {
    terms: [
      [/\bworkspace\b(?!:)/i, /espaço de trabalho/i],
      [/\bside bar\b/i, /barra lateral/i],
      [/\bapi keys?\b/i, /chaves? (?:de )?API/i],
      [/\bsettings?\b/i, /configuraç/i],
      [/\brequests?\b/i, /solicitaç|sob demanda/i],
      [/\bresponses?\b/i, /respost|respond/i],
      [/\bselect(?:ed|s)?\b/i, /sele[cç]/i],
      [/\bcontext window\b/i, /janela de contexto/i],
      [/\bproviders?\b/i, /provedor/i],
      [/\bundo(?:ne)?\b/i, /desf/i],
      [/\bstatus bar\b/i, /barra de status/i],
      [/\brestricted mode\b/i, /modo restrito/i],
      [/\bcompress(?:ed|es|ions?)?\b/i, /compact/i],
    ],
    banned: [
      [/por código|palavra por palavra|comprimi|compress/i, 'o termo do VS Code'],
      [/\bworkspaces?\b(?!:)/i, '“espaço de trabalho”'],
      [/(?<!\p{L})escolh/iu, '“selecionar”'],
      [/(?<!\p{L})ramos?(?!\p{L})/iu, '“ramificação”'],
    ],
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
