/** What a draft says by itself, beside templates and quotes. */
export interface Phrases {
  /** A greeting for templates that have none; `name` is empty where nobody is named. */
  greeting: string;
  /** For `{product}` where none is known. */
  product: string;
  /** For `{subject}` where there is none. */
  subject: string;
  /** Before the quotes. */
  lead: string;
  /** Before the list of sources. */
  sources: string;
  /** Before it where nothing is quoted. */
  seeAlso: string;
  /** Behind steps of which only the first are quoted. */
  more: string;
}

const ENGLISH: Phrases = {
  greeting: 'Hello{name},',
  product: 'device',
  subject: 'your message',
  lead: 'This is what our documentation says:',
  sources: 'Sources:',
  seeAlso: 'See also:',
  more: 'The other steps are in the article',
};

const BY_LANGUAGE: Readonly<Record<string, Phrases>> = {
  en: ENGLISH,
  de: {
    greeting: 'Guten Tag{name},',
    product: 'Gerät',
    subject: 'die Nachricht',
    lead: 'Das steht dazu in unserer Dokumentation:',
    sources: 'Quellen:',
    seeAlso: 'Siehe auch:',
    more: 'Die weiteren Schritte stehen im Artikel',
  },
  fr: {
    greeting: 'Bonjour{name},',
    product: 'appareil',
    subject: 'le message',
    lead: 'Voici ce que dit notre documentation :',
    sources: 'Sources :',
    seeAlso: 'Voir aussi :',
    more: 'Les autres étapes se trouvent dans l’article',
  },
  es: {
    greeting: 'Hola{name},',
    product: 'equipo',
    subject: 'el mensaje',
    lead: 'Esto dice nuestra documentación:',
    sources: 'Fuentes:',
    seeAlso: 'Véase también:',
    more: 'Los demás pasos están en el artículo',
  },
  it: {
    greeting: 'Buongiorno{name},',
    product: 'dispositivo',
    subject: 'il messaggio',
    lead: 'Ecco che cosa dice la nostra documentazione:',
    sources: 'Fonti:',
    seeAlso: 'Vedi anche:',
    more: "Gli altri passaggi si trovano nell'articolo",
  },
  pt: {
    greeting: 'Olá{name},',
    product: 'equipamento',
    subject: 'a mensagem',
    lead: 'É isto que diz a nossa documentação:',
    sources: 'Fontes:',
    seeAlso: 'Ver também:',
    more: 'Os outros passos estão no artigo',
  },
  nl: {
    greeting: 'Hallo{name},',
    product: 'apparaat',
    subject: 'het bericht',
    lead: 'Dit staat er in onze documentatie:',
    sources: 'Bronnen:',
    seeAlso: 'Zie ook:',
    more: 'De andere stappen staan in het artikel',
  },
};

/** Phrases of a language, by its primary subtag; English for one that has none here. */
export const phrasesOf = (language: string): Phrases => BY_LANGUAGE[primaryOf(language)] ?? ENGLISH;

/** `pt` of `pt-BR`. */
export const primaryOf = (language: string): string => language.toLowerCase().split('-')[0] ?? '';
