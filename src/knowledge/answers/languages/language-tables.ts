/** Frequent short words, and those that customers write. A word counts less the more languages have it. */
export const WORDS: Readonly<Record<string, string>> = {
  en: 'the of and to is it that for was on are with as be at by this have has had from an or not you your can will if do does did how what which when where why who my me we our i am been but no any there please help thanks thank hello hi dear still after before since while does would could should need want get got new just now more than then only also all out up about into its their they them see use after regards',
  de: 'der die das und ist ein eine einen einem einer nicht mit den von zu im auf für sich des dem sie es wird werden oder wie kann sind war hat habe haben aus bei nach wenn ich mein meine meinen meiner mir mich wir uns ihr ihre ihren was man noch nur schon seit bitte danke hallo guten kein keine mehr auch aber als um dass wo wann warum wieso welche gibt geht muss am vom zum zur über unter vor immer leider gerne diese dieser dieses hier jetzt',
  fr: "le la les de des du et est un une dans pour que qui pas sur avec au aux en ce cette il elle vous nous je j' ne n' par plus sont être ou où comment c' l' d' qu' s' m' mon ma mes votre vos notre mais si quand pourquoi depuis bonjour merci salut y a ai été fait faire tout encore après avant toujours sans très peut puis quel quelle bien rien aucun suis avez",
  es: 'el la los las de del y es un una en que por para con no se lo al como cómo más su sus está están son o si sí qué cada hay mi mis me muy pero cuando cuándo donde dónde ya hola gracias buenos buenas favor desde este esta esto tiene tengo he ha puedo puede hacer porque también todo sin ahora usted nuestro le les quiero sigue',
  it: "il lo la gli le i di e è un una che in per non con del della dei delle dal dalla si da al alla come sono più nel nella ogni può l' dell' un' c' mi mio mia miei ho ha hai ma se quando dove perché grazie buongiorno ciao salve questo questa anche ancora dopo prima sempre già cosa posso vorrei fare stato nessun senza tutto molto ne ci sul sulla",
  pt: 'o a os as de do da dos das e é um uma em que para não com se no na nos nas por mais como ao à são está estão você ou deve cada meu minha meus minhas mas quando onde porque olá obrigado obrigada bom boa dia desde este esta isso tem tenho já ainda depois antes sempre posso pode fazer foi muito sem também até eu me seu sua ele ela qual aparece',
  nl: 'de het een en van is in op te dat niet met voor zijn er aan om of bij als ook naar kan wordt u hoe wat je door moet mijn ik heb heeft hebben maar nog geen wanneer waar waarom bedankt hallo graag dit deze die meer dan zo uit tot sinds worden werd was al na kunt kunnen jullie uw wij we mij alleen steeds over zonder goed hij dag',
  sv: 'och att det som en är på av för med den till inte ett om har de kan var eller hur när ska du vid från jag min mitt mina mig ni er vi hej tack men efter sedan varför vad finns fungerar inga ingen nu så hjälp också bara ut upp över under mycket någon något igen vill får denna detta får kommer',
  da: 'og at det som en er på af for med den til ikke et om har de kan var eller hvordan når skal du ved fra jeg min mit mine mig i vi hej tak men efter siden hvorfor hvad hvor hvornår virker ingen nu så hjælp også kun ud op over under meget nogen noget igen vil får denne dette kommer blev bliver være mvh hilsen',
  pl: 'i w na z do się nie jest że to co jak po o od dla przez ma lub są oraz być ten ta czy mam mój moja moje mi ale już jeszcze gdy kiedy gdzie dlaczego dzień dobry dziękuję proszę witam po za przed bez tylko może mogę można jestem było był została został który która jej ich pan pani państwo przy też u ze we',
  tr: 'bir bu ve için ile da de ne çok daha gibi olan var yok mı mi mu mü nasıl olarak veya değil her ama ben benim bana neden nerede merhaba teşekkürler lütfen sonra önce hâlâ hala kadar şu o zaman oldu',
  fi: 'ja on ei se että oli hän mutta kun myös kuin tai miten ovat joka voi sen jos en minun olen mitä missä milloin miksi kiitos hei moi vielä nyt jälkeen ole tämä laite onko voin voinko saa',
};

/** Three letters that are frequent within words of few languages; `^` and `$` are the ends of a word. */
export const PIECES: Readonly<Record<string, string>> = {
  en: 'ing ght ed$ ^wh ^th ly$ ion thi ck$ ow$ ay$ ^sh ess oul ead eed ugh ould ee$',
  de: 'sch cht ung ich ein ^ge ^ver ^be eit ^zu ng$ hen ige lle ^an ^au ehr ier ern ße uch ^st tz$ keit ^we',
  fr: 'eur ais ait ent ous oir que ^ch eux ell tion ^qu ien ez$ ée$ és$ er$ eau ois our aux ^jo onn',
  es: 'ado ida ció ión os$ as$ ar$ ^es ^ha ien ndo ero ora aje ^pu iza ll $ue ^ll nte tra dad ía$ ió$',
  it: 'zio ion are ato ita ell zza gli ggi tta cch ^sp ono nno tto ^qu ssi one$ ne$ iam ess ^no ere ia$ hia',
  pt: 'ção ção çõe ões ão$ nto ado inh lho nha ^nã sse ^es vel em$ ou$ eir ^po ar$ dor ia$ oss mos',
  nl: 'ijn ij$ aan ^ge oor een ver sch aar ken en$ oet ^ze ien lij cht eer oek ijk ^wa uit eld dt$ ^be ouw aat oen',
  sv: 'ing ^sk ar$ ade ör$ för and ^st ll$ ^fö tt$ ga$ ska ern ag$ ett gen ck$ ^vä rna',
  da: 'ing ^sk ger ede et$ er$ ig$ ^fo lig kke igt ern æg ør$ ens ^hv ^af nde vde ejl gen',
  pl: 'cze prz nie ^ni owa rze szy dzi sta cie ści ych ego ^po ^pr ^wy iem ów$ ać$ ię$ zy$ ani ej$ nia',
  tr: 'lar ler yor ^ba dır dir ını iyo mad lık ^ge eri ^ça iniz niz ama ış$',
  fi: 'sta aan ^ko ssa lla uu  ei$ ään een ksi tta isi ^la äst in$ kaa itt oit yt$ uut',
};

/** Letters that few languages have. */
export const LETTERS: Readonly<Record<string, string>> = {
  de: 'ä ö ü ß',
  fr: 'é è ê à ç œ ù î ô û ë ï â',
  es: 'ñ á í ó ú é ¿ ¡',
  it: 'è à ò ù ì',
  pt: 'ã õ ç á é í ó ê ú â à',
  nl: 'ë',
  sv: 'å ä ö',
  da: 'å æ ø',
  pl: 'ł ą ę ś ż ź ć ń ó',
  tr: 'ğ ı ş ç ö ü',
  fi: 'ä ö',
};
