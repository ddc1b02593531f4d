import type { Language, Texts, Translations } from './check-translations.ts';

/**
 * English terms, and patterns for how VS Code's own translations (microsoft/vscode-loc) render them. A translation of a
 * text with the term must match the pattern.
 */
const TERMS = rowsOf(String.raw`
workspace(?!\w|:) == de Arbeitsbereich ; fr espace de travail ; es área de trabajo ; ja ワークスペース ; zh-cn 工作区 ; pt-br espaço de trabalho
side bar == de Seitenleiste ; fr barre latérale ; es barra lateral ; ja サイド バー ; zh-cn 侧边栏|侧栏 ; pt-br barra lateral
restricted mode == de eingeschränkte[nrm]? Modus ; fr mode restreint ; es modo restringido ; ja 制限モード ; zh-cn 受限模式 ; pt-br modo restrito
api keys? == de API-Schlüssel ; fr clés? API|clé d’API ; es claves? (?:de )?API ; ja API キー ; zh-cn API 密钥 ; pt-br chaves? (?:de )?API
settings? == de einstellung ; fr paramètre ; es configuraci|opci[óo]n ; ja 設定 ; zh-cn 设置 ; pt-br configuraç
requests? == de Anforderung ; fr demande ; es solicitud|a petición ; ja 要求|要望 ; zh-cn 请求|需求 ; pt-br solicitaç|sob demanda
responses? == de antwort ; fr réponse ; es respuesta|respond ; ja 応答 ; zh-cn 响应 ; pt-br respost|respond
select(?:ed|s)? == de w[äa]hl ; fr sélection ; es selec ; ja 選択 ; zh-cn 选 ; pt-br sele[cç]
context window == de Kontextfenster ; fr fenêtre de contexte ; es ventana de contexto ; ja コンテキスト ウィンドウ ; zh-cn 上下文窗口 ; pt-br janela de contexto
providers? == de anbieter ; fr fournisseur ; es proveedor ; ja プロバイダー ; zh-cn 提供程序 ; pt-br provedor
sessions? == de sitzung
undo(?:ne)? == de rückgängig ; fr annul ; es desh(?:acer|ech[oa]|izo|icieron) ; ja 元に戻 ; zh-cn 撤消 ; pt-br desf
log == de Protokoll ; fr journal ; es registro
status bar == de Statusleiste ; fr barre d’état ; es barra de estado ; ja ステータス バー ; zh-cn 状态栏 ; pt-br barra de status
key events? == de Schlüsselereignis
compress(?:ed|es|ions?)? == de komprimier ; pt-br compact
summar(?:y|ies) == de zusammenfassung
tokens? == fr jeton ; ja トークン ; zh-cn 令牌
verbatim == es textual|literal
`);

/** Forms that were wrong in a language, and what to write instead. */
const BANNED = rowsOf(String.raw`
de == (?:^|[„ ])[\wäöüß]+ zeigen$ == „anzeigen“
de == \bTabs?\b == „Registerkarte“
de == nächsten Zug == „nächste Anforderung“
de == neu machen|wieder einsetzen|hinterlegen|doppelt dasteht|so viele Nachrichten == ein Verb von VS Code
de == dem nicht vertraut wird == „nicht vertrauenswürdig“
de == \b(?:dein|deine|deiner|deinem|deinen|du|dich|dir)\b == „Sie“
fr ==  (?=[:;!?»%])|«  == une espace insécable avant : ; ! ? » % et après «
fr == (?<!Copilot )\bchats?\b(?! Completions) == « conversation »
fr == par du code|tous les tant|Déployer|Dériver == le terme de VS Code
fr == requête == « demande »
fr == (?<!\p{L})choisi == « sélectionner »
fr == (?<!\p{L})(?:tu|ton|ta|tes|toi)(?!\p{L}) == « vous »
es == espacio de trabajo == «área de trabajo»
es == archivos? adjuntos? == «datos adjuntos»
es == \bañad == «agregar»
es == (?<!\p{L})eli(?:ja|gió|ge) == «seleccionar»
es == (?<!\p{L})fijar|desfij == «anclar»
es == por código|tantos mensajes|miradas alrededor|Desplegar|se quedó == el término de VS Code
es == (?<!\p{L})(?:tu|tus|tú|elige|intenta|inténtalo|comprueba|pulsa)(?!\p{L}) == «usted»
ja == サイドバー|ステータスバー|システムプロンプト|サンプルセッション|コンテキストウィンドウ|シークレットストレージ == 分かち書き
ja == リクエスト == 「要求」
ja == 返信 == 「応答」
ja == キー ?イベント == 「重要事項」
ja == きっかけ == 「トリガー」
ja == コードで|想起|自前 == VS Code の用語
zh-cn == 逐字逐句|用代码|由代码|撤销|词元|提供方 == VS Code 的术语
zh-cn == 您 == “你”
pt-br == por código|palavra por palavra|comprimi|compress == o termo do VS Code
pt-br == \bworkspaces?\b(?!:) == “espaço de trabalho”
pt-br == (?<!\p{L})escolh == “selecionar”
pt-br == (?<!\p{L})ramos?(?!\p{L}) == “ramificação”
`);

/** The cells of a table with columns separated by `==`. */
function rowsOf(table: string): readonly (readonly string[])[] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split(' == '));
}

/** Translations that don't use VS Code's terms, or contain a form that is wrong in the language. */
export function checkTerms(language: Language, english: Translations, translated: Translations): string[] {
  const terms = TERMS.flatMap(([term = '', cells = '']) => {
    const own = cells.split(' ; ').find((cell) => cell.startsWith(`${language} `));
    return own === undefined
      ? []
      : [[new RegExp(`\\b(?:${term})(?!\\w)`, 'i'), own.slice(language.length + 1)] as const];
  });
  const banned = BANNED.filter(([of]) => of === language).map(
    ([, form = '', instead = '']) => [new RegExp(form, 'iu'), instead] as const,
  );
  const checkTexts = (file: string, from: Texts, to: Texts): string[] =>
    Object.entries(to).flatMap(([key, text]) => {
      const source = (from[key] ?? '').replace(/`[^`]*`|\(command:[^)]*\)|threadkeeper\.[\w.]+/g, '');
      const words = text.replace(/`[^`]*`|\(command:[^)]*\)|threadkeeper\.[\w.]+|https?:\S+/g, '');
      return [
        ...terms.flatMap(([term, own]) =>
          term.test(source) && !new RegExp(own, 'i').test(words) ? [`${file}: “${key}” lacks ${own}`] : [],
        ),
        ...banned.flatMap(([form, instead]) => {
          const found = form.exec(words);
          return found ? [`${file}: “${key}” says “${found[0]}”; write ${instead}`] : [];
        }),
      ];
    });
  return [
    ...checkTexts(`l10n/bundle.l10n.${language}.json`, english.code, translated.code),
    ...checkTexts(`package.nls.${language}.json`, english.manifest, translated.manifest),
  ];
}
