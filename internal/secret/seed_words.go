package secret

// seedWords are the 2048 English words of BIP-39 in order, each filled up with
// blanks to eight bytes.
const seedWords = "abandon ability able    about   above   absent  absorb  abstractabsurd  abuse   access  accident" +
	"account accuse  achieve acid    acousticacquire across  act     action  actor   actress actual  " +
	"adapt   add     addict  address adjust  admit   adult   advance advice  aerobic affair  afford  " +
	"afraid  again   age     agent   agree   ahead   aim     air     airport aisle   alarm   album   " +
	"alcohol alert   alien   all     alley   allow   almost  alone   alpha   already also    alter   " +
	"always  amateur amazing among   amount  amused  analyst anchor  ancient anger   angle   angry   " +
	"animal  ankle   announceannual  another answer  antenna antique anxiety any     apart   apology " +
	"appear  apple   approve april   arch    arctic  area    arena   argue   arm     armed   armor   " +
	"army    around  arrange arrest  arrive  arrow   art     artefactartist  artwork ask     aspect  " +
	"assault asset   assist  assume  asthma  athlete atom    attack  attend  attitudeattract auction " +
	"audit   august  aunt    author  auto    autumn  average avocado avoid   awake   aware   away    " +
	"awesome awful   awkward axis    baby    bachelorbacon   badge   bag     balance balcony ball    " +
	"bamboo  banana  banner  bar     barely  bargain barrel  base    basic   basket  battle  beach   " +
	"bean    beauty  because become  beef    before  begin   behave  behind  believe below   belt    " +
	"bench   benefit best    betray  better  between beyond  bicycle bid     bike    bind    biology " +
	"bird    birth   bitter  black   blade   blame   blanket blast   bleak   bless   blind   blood   " +
	"blossom blouse  blue    blur    blush   board   boat    body    boil    bomb    bone    bonus   " +
	"book    boost   border  boring  borrow  boss    bottom  bounce  box     boy     bracket brain   " +
	"brand   brass   brave   bread   breeze  brick   bridge  brief   bright  bring   brisk   broccoli" +
	"broken  bronze  broom   brother brown   brush   bubble  buddy   budget  buffalo build   bulb    " +
	"bulk    bullet  bundle  bunker  burden  burger  burst   bus     businessbusy    butter  buyer   " +
	"buzz    cabbage cabin   cable   cactus  cage    cake    call    calm    camera  camp    can     " +
	"canal   cancel  candy   cannon  canoe   canvas  canyon  capable capital captain car     carbon  " +
	"card    cargo   carpet  carry   cart    case    cash    casino  castle  casual  cat     catalog " +
	"catch   categorycattle  caught  cause   caution cave    ceiling celery  cement  census  century " +
	"cereal  certain chair   chalk   championchange  chaos   chapter charge  chase   chat    cheap   " +
	"check   cheese  chef    cherry  chest   chicken chief   child   chimney choice  choose  chronic " +
	"chuckle chunk   churn   cigar   cinnamoncircle  citizen city    civil   claim   clap    clarify " +
	"claw    clay    clean   clerk   clever  click   client  cliff   climb   clinic  clip    clock   " +
	"clog    close   cloth   cloud   clown   club    clump   cluster clutch  coach   coast   coconut " +
	"code    coffee  coil    coin    collect color   column  combine come    comfort comic   common  " +
	"company concert conduct confirm congressconnect considercontrol convincecook    cool    copper  " +
	"copy    coral   core    corn    correct cost    cotton  couch   country couple  course  cousin  " +
	"cover   coyote  crack   cradle  craft   cram    crane   crash   crater  crawl   crazy   cream   " +
	"credit  creek   crew    cricket crime   crisp   critic  crop    cross   crouch  crowd   crucial " +
	"cruel   cruise  crumble crunch  crush   cry     crystal cube    culture cup     cupboardcurious " +
	"current curtain curve   cushion custom  cute    cycle   dad     damage  damp    dance   danger  " +
	"daring  dash    daughterdawn    day     deal    debate  debris  decade  decemberdecide  decline " +
	"decoratedecreasedeer    defense define  defy    degree  delay   deliver demand  demise  denial  " +
	"dentist deny    depart  depend  deposit depth   deputy  derive  describedesert  design  desk    " +
	"despair destroy detail  detect  develop device  devote  diagram dial    diamond diary   dice    " +
	"diesel  diet    differ  digital dignity dilemma dinner  dinosaurdirect  dirt    disagreediscover" +
	"disease dish    dismiss disorderdisplay distancedivert  divide  divorce dizzy   doctor  document" +
	"dog     doll    dolphin domain  donate  donkey  donor   door    dose    double  dove    draft   " +
	"dragon  drama   drastic draw    dream   dress   drift   drill   drink   drip    drive   drop    " +
	"drum    dry     duck    dumb    dune    during  dust    dutch   duty    dwarf   dynamic eager   " +
	"eagle   early   earn    earth   easily  east    easy    echo    ecology economy edge    edit    " +
	"educate effort  egg     eight   either  elbow   elder   electricelegant element elephantelevator" +
	"elite   else    embark  embody  embrace emerge  emotion employ  empower empty   enable  enact   " +
	"end     endless endorse enemy   energy  enforce engage  engine  enhance enjoy   enlist  enough  " +
	"enrich  enroll  ensure  enter   entire  entry   envelopeepisode equal   equip   era     erase   " +
	"erode   erosion error   erupt   escape  essay   essence estate  eternal ethics  evidenceevil    " +
	"evoke   evolve  exact   example excess  exchangeexcite  exclude excuse  execute exerciseexhaust " +
	"exhibit exile   exist   exit    exotic  expand  expect  expire  explain expose  express extend  " +
	"extra   eye     eyebrow fabric  face    faculty fade    faint   faith   fall    false   fame    " +
	"family  famous  fan     fancy   fantasy farm    fashion fat     fatal   father  fatigue fault   " +
	"favoritefeature februaryfederal fee     feed    feel    female  fence   festivalfetch   fever   " +
	"few     fiber   fiction field   figure  file    film    filter  final   find    fine    finger  " +
	"finish  fire    firm    first   fiscal  fish    fit     fitness fix     flag    flame   flash   " +
	"flat    flavor  flee    flight  flip    float   flock   floor   flower  fluid   flush   fly     " +
	"foam    focus   fog     foil    fold    follow  food    foot    force   forest  forget  fork    " +
	"fortune forum   forward fossil  foster  found   fox     fragile frame   frequentfresh   friend  " +
	"fringe  frog    front   frost   frown   frozen  fruit   fuel    fun     funny   furnace fury    " +
	"future  gadget  gain    galaxy  gallery game    gap     garage  garbage garden  garlic  garment " +
	"gas     gasp    gate    gather  gauge   gaze    general genius  genre   gentle  genuine gesture " +
	"ghost   giant   gift    giggle  ginger  giraffe girl    give    glad    glance  glare   glass   " +
	"glide   glimpse globe   gloom   glory   glove   glow    glue    goat    goddess gold    good    " +
	"goose   gorilla gospel  gossip  govern  gown    grab    grace   grain   grant   grape   grass   " +
	"gravity great   green   grid    grief   grit    grocery group   grow    grunt   guard   guess   " +
	"guide   guilt   guitar  gun     gym     habit   hair    half    hammer  hamster hand    happy   " +
	"harbor  hard    harsh   harvest hat     have    hawk    hazard  head    health  heart   heavy   " +
	"hedgehogheight  hello   helmet  help    hen     hero    hidden  high    hill    hint    hip     " +
	"hire    history hobby   hockey  hold    hole    holiday hollow  home    honey   hood    hope    " +
	"horn    horror  horse   hospitalhost    hotel   hour    hover   hub     huge    human   humble  " +
	"humor   hundred hungry  hunt    hurdle  hurry   hurt    husband hybrid  ice     icon    idea    " +
	"identifyidle    ignore  ill     illegal illness image   imitate immense immune  impact  impose  " +
	"improve impulse inch    include income  increaseindex   indicateindoor  industryinfant  inflict " +
	"inform  inhale  inherit initial inject  injury  inmate  inner   innocentinput   inquiry insane  " +
	"insect  inside  inspire install intact  interestinto    invest  invite  involve iron    island  " +
	"isolate issue   item    ivory   jacket  jaguar  jar     jazz    jealous jeans   jelly   jewel   " +
	"job     join    joke    journey joy     judge   juice   jump    jungle  junior  junk    just    " +
	"kangarookeen    keep    ketchup key     kick    kid     kidney  kind    kingdom kiss    kit     " +
	"kitchen kite    kitten  kiwi    knee    knife   knock   know    lab     label   labor   ladder  " +
	"lady    lake    lamp    languagelaptop  large   later   latin   laugh   laundry lava    law     " +
	"lawn    lawsuit layer   lazy    leader  leaf    learn   leave   lecture left    leg     legal   " +
	"legend  leisure lemon   lend    length  lens    leopard lesson  letter  level   liar    liberty " +
	"library license life    lift    light   like    limb    limit   link    lion    liquid  list    " +
	"little  live    lizard  load    loan    lobster local   lock    logic   lonely  long    loop    " +
	"lottery loud    lounge  love    loyal   lucky   luggage lumber  lunar   lunch   luxury  lyrics  " +
	"machine mad     magic   magnet  maid    mail    main    major   make    mammal  man     manage  " +
	"mandate mango   mansion manual  maple   marble  march   margin  marine  market  marriagemask    " +
	"mass    master  match   materialmath    matrix  matter  maximum maze    meadow  mean    measure " +
	"meat    mechanicmedal   media   melody  melt    member  memory  mention menu    mercy   merge   " +
	"merit   merry   mesh    message metal   method  middle  midnightmilk    million mimic   mind    " +
	"minimum minor   minute  miracle mirror  misery  miss    mistake mix     mixed   mixture mobile  " +
	"model   modify  mom     moment  monitor monkey  monster month   moon    moral   more    morning " +
	"mosquitomother  motion  motor   mountainmouse   move    movie   much    muffin  mule    multiply" +
	"muscle  museum  mushroommusic   must    mutual  myself  mystery myth    naive   name    napkin  " +
	"narrow  nasty   nation  nature  near    neck    need    negativeneglect neither nephew  nerve   " +
	"nest    net     network neutral never   news    next    nice    night   noble   noise   nominee " +
	"noodle  normal  north   nose    notable note    nothing notice  novel   now     nuclear number  " +
	"nurse   nut     oak     obey    object  oblige  obscure observe obtain  obvious occur   ocean   " +
	"october odor    off     offer   office  often   oil     okay    old     olive   olympic omit    " +
	"once    one     onion   online  only    open    opera   opinion oppose  option  orange  orbit   " +
	"orchard order   ordinaryorgan   orient  originalorphan  ostrich other   outdoor outer   output  " +
	"outside oval    oven    over    own     owner   oxygen  oyster  ozone   pact    paddle  page    " +
	"pair    palace  palm    panda   panel   panic   panther paper   parade  parent  park    parrot  " +
	"party   pass    patch   path    patient patrol  pattern pause   pave    payment peace   peanut  " +
	"pear    peasant pelican pen     penalty pencil  people  pepper  perfect permit  person  pet     " +
	"phone   photo   phrase  physicalpiano   picnic  picture piece   pig     pigeon  pill    pilot   " +
	"pink    pioneer pipe    pistol  pitch   pizza   place   planet  plastic plate   play    please  " +
	"pledge  pluck   plug    plunge  poem    poet    point   polar   pole    police  pond    pony    " +
	"pool    popular portion positionpossiblepost    potato  pottery poverty powder  power   practice" +
	"praise  predict prefer  prepare present pretty  prevent price   pride   primary print   priority" +
	"prison  private prize   problem process produce profit  program project promote proof   property" +
	"prosper protect proud   provide public  pudding pull    pulp    pulse   pumpkin punch   pupil   " +
	"puppy   purchasepurity  purpose purse   push    put     puzzle  pyramid quality quantum quarter " +
	"questionquick   quit    quiz    quote   rabbit  raccoon race    rack    radar   radio   rail    " +
	"rain    raise   rally   ramp    ranch   random  range   rapid   rare    rate    rather  raven   " +
	"raw     razor   ready   real    reason  rebel   rebuild recall  receive recipe  record  recycle " +
	"reduce  reflect reform  refuse  region  regret  regular reject  relax   release relief  rely    " +
	"remain  rememberremind  remove  render  renew   rent    reopen  repair  repeat  replace report  " +
	"require rescue  resembleresist  resourceresponseresult  retire  retreat return  reunion reveal  " +
	"review  reward  rhythm  rib     ribbon  rice    rich    ride    ridge   rifle   right   rigid   " +
	"ring    riot    ripple  risk    ritual  rival   river   road    roast   robot   robust  rocket  " +
	"romance roof    rookie  room    rose    rotate  rough   round   route   royal   rubber  rude    " +
	"rug     rule    run     runway  rural   sad     saddle  sadness safe    sail    salad   salmon  " +
	"salon   salt    salute  same    sample  sand    satisfy satoshi sauce   sausage save    say     " +
	"scale   scan    scare   scatter scene   scheme  school  science scissorsscorpionscout   scrap   " +
	"screen  script  scrub   sea     search  season  seat    second  secret  section securityseed    " +
	"seek    segment select  sell    seminar senior  sense   sentenceseries  service session settle  " +
	"setup   seven   shadow  shaft   shallow share   shed    shell   sheriff shield  shift   shine   " +
	"ship    shiver  shock   shoe    shoot   shop    short   shouldershove   shrimp  shrug   shuffle " +
	"shy     sibling sick    side    siege   sight   sign    silent  silk    silly   silver  similar " +
	"simple  since   sing    siren   sister  situate six     size    skate   sketch  ski     skill   " +
	"skin    skirt   skull   slab    slam    sleep   slender slice   slide   slight  slim    slogan  " +
	"slot    slow    slush   small   smart   smile   smoke   smooth  snack   snake   snap    sniff   " +
	"snow    soap    soccer  social  sock    soda    soft    solar   soldier solid   solutionsolve   " +
	"someone song    soon    sorry   sort    soul    sound   soup    source  south   space   spare   " +
	"spatial spawn   speak   special speed   spell   spend   sphere  spice   spider  spike   spin    " +
	"spirit  split   spoil   sponsor spoon   sport   spot    spray   spread  spring  spy     square  " +
	"squeeze squirrelstable  stadium staff   stage   stairs  stamp   stand   start   state   stay    " +
	"steak   steel   stem    step    stereo  stick   still   sting   stock   stomach stone   stool   " +
	"story   stove   strategystreet  strike  strong  strugglestudent stuff   stumble style   subject " +
	"submit  subway  success such    sudden  suffer  sugar   suggest suit    summer  sun     sunny   " +
	"sunset  super   supply  supreme sure    surface surge   surprisesurroundsurvey  suspect sustain " +
	"swallow swamp   swap    swarm   swear   sweet   swift   swim    swing   switch  sword   symbol  " +
	"symptom syrup   system  table   tackle  tag     tail    talent  talk    tank    tape    target  " +
	"task    taste   tattoo  taxi    teach   team    tell    ten     tenant  tennis  tent    term    " +
	"test    text    thank   that    theme   then    theory  there   they    thing   this    thought " +
	"three   thrive  throw   thumb   thunder ticket  tide    tiger   tilt    timber  time    tiny    " +
	"tip     tired   tissue  title   toast   tobacco today   toddler toe     togethertoilet  token   " +
	"tomato  tomorrowtone    tongue  tonight tool    tooth   top     topic   topple  torch   tornado " +
	"tortoisetoss    total   tourist toward  tower   town    toy     track   trade   traffic tragic  " +
	"train   transfertrap    trash   travel  tray    treat   tree    trend   trial   tribe   trick   " +
	"trigger trim    trip    trophy  trouble truck   true    truly   trumpet trust   truth   try     " +
	"tube    tuition tumble  tuna    tunnel  turkey  turn    turtle  twelve  twenty  twice   twin    " +
	"twist   two     type    typical ugly    umbrellaunable  unaware uncle   uncover under   undo    " +
	"unfair  unfold  unhappy uniform unique  unit    universeunknown unlock  until   unusual unveil  " +
	"update  upgrade uphold  upon    upper   upset   urban   urge    usage   use     used    useful  " +
	"useless usual   utility vacant  vacuum  vague   valid   valley  valve   van     vanish  vapor   " +
	"various vast    vault   vehicle velvet  vendor  venture venue   verb    verify  version very    " +
	"vessel  veteran viable  vibrant vicious victory video   view    village vintage violin  virtual " +
	"virus   visa    visit   visual  vital   vivid   vocal   voice   void    volcano volume  vote    " +
	"voyage  wage    wagon   wait    walk    wall    walnut  want    warfare warm    warrior wash    " +
	"wasp    waste   water   wave    way     wealth  weapon  wear    weasel  weather web     wedding " +
	"weekend weird   welcome west    wet     whale   what    wheat   wheel   when    where   whip    " +
	"whisper wide    width   wife    wild    will    win     window  wine    wing    wink    winner  " +
	"winter  wire    wisdom  wise    wish    witness wolf    woman   wonder  wood    wool    word    " +
	"work    world   worry   worth   wrap    wreck   wrestle wrist   write   wrong   yard    year    " +
	"yellow  you     young   youth   zebra   zero    zone    zoo     "

// seedPairs is where the words of each first two letters start in the list. Most
// other words have a pair that none of the list has.
var seedPairs = [26*26 + 1]uint16{
	0, 0, 10, 24, 33, 34, 37, 41, 42, 46, 46, 46, 61, 66, 82, 82, 88, 88, 106, 113, 119, 126, 129, 135, 136, 136,
	136, 155, 155, 155, 155, 175, 175, 175, 175, 183, 183, 183, 197, 197, 197, 214, 214, 214, 234, 234, 234, 253, 253, 253, 253, 253,
	253, 295, 295, 295, 295, 302, 302, 302, 327, 333, 333, 333, 357, 357, 357, 398, 398, 398, 427, 427, 427, 438, 438, 438, 438, 439,
	439, 449, 449, 449, 449, 487, 487, 487, 487, 514, 514, 514, 514, 514, 514, 527, 527, 527, 542, 542, 542, 549, 549, 550, 550, 551,
	551, 559, 559, 562, 565, 565, 566, 567, 567, 569, 569, 569, 578, 586, 607, 607, 608, 610, 616, 620, 622, 622, 626, 626, 649, 651,
	651, 673, 673, 673, 673, 685, 685, 685, 685, 705, 705, 705, 720, 720, 720, 739, 739, 739, 751, 751, 751, 757, 757, 757, 757, 757,
	757, 774, 774, 774, 774, 780, 780, 780, 781, 788, 788, 788, 800, 800, 800, 810, 810, 810, 826, 826, 826, 832, 832, 832, 832, 833,
	833, 848, 848, 848, 848, 859, 859, 859, 859, 866, 866, 866, 866, 866, 866, 884, 884, 884, 884, 884, 884, 896, 896, 896, 896, 897,
	897, 897, 897, 899, 902, 902, 902, 903, 903, 903, 903, 903, 906, 914, 946, 946, 946, 946, 947, 950, 951, 951, 952, 952, 952, 952,
	952, 956, 956, 956, 956, 960, 960, 960, 960, 960, 960, 960, 960, 960, 960, 965, 965, 965, 965, 965, 965, 972, 972, 972, 972, 972,
	972, 973, 973, 973, 973, 977, 977, 977, 977, 988, 988, 988, 988, 988, 992, 992, 992, 992, 992, 992, 992, 992, 992, 992, 992, 992,
	992, 1012, 1012, 1012, 1012, 1030, 1030, 1030, 1030, 1047, 1047, 1047, 1047, 1047, 1047, 1061, 1061, 1061, 1061, 1061, 1061, 1067, 1067, 1067, 1067, 1068,
	1068, 1101, 1101, 1101, 1101, 1122, 1122, 1122, 1122, 1139, 1139, 1139, 1139, 1139, 1139, 1160, 1160, 1160, 1160, 1160, 1160, 1170, 1170, 1170, 1170, 1173,
	1173, 1180, 1180, 1180, 1180, 1195, 1195, 1195, 1195, 1197, 1197, 1197, 1197, 1197, 1197, 1210, 1210, 1210, 1210, 1210, 1210, 1214, 1214, 1214, 1214, 1214,
	1214, 1215, 1222, 1225, 1226, 1226, 1230, 1230, 1230, 1231, 1231, 1232, 1235, 1236, 1241, 1241, 1246, 1246, 1255, 1256, 1257, 1261, 1264, 1266, 1267, 1268,
	1269, 1294, 1294, 1294, 1294, 1308, 1308, 1308, 1312, 1326, 1326, 1326, 1336, 1336, 1336, 1355, 1355, 1355, 1384, 1384, 1384, 1400, 1400, 1400, 1400, 1401,
	1401, 1401, 1401, 1401, 1401, 1401, 1401, 1401, 1401, 1401, 1401, 1401, 1401, 1401, 1401, 1401, 1401, 1401, 1401, 1401, 1401, 1409, 1409, 1409, 1409, 1409,
	1409, 1430, 1430, 1430, 1430, 1478, 1478, 1478, 1479, 1495, 1495, 1495, 1495, 1495, 1495, 1510, 1510, 1510, 1510, 1510, 1510, 1517, 1517, 1517, 1517, 1517,
	1517, 1536, 1536, 1551, 1551, 1574, 1574, 1574, 1597, 1616, 1616, 1623, 1635, 1640, 1645, 1666, 1691, 1694, 1694, 1694, 1727, 1752, 1752, 1763, 1763, 1767,
	1767, 1780, 1780, 1780, 1780, 1790, 1790, 1790, 1805, 1816, 1816, 1816, 1816, 1816, 1816, 1844, 1844, 1844, 1872, 1872, 1872, 1880, 1880, 1886, 1886, 1888,
	1888, 1888, 1888, 1888, 1888, 1888, 1888, 1889, 1889, 1889, 1889, 1889, 1889, 1890, 1908, 1908, 1914, 1914, 1916, 1922, 1923, 1923, 1923, 1923, 1923, 1923,
	1923, 1935, 1935, 1935, 1935, 1946, 1946, 1946, 1946, 1962, 1962, 1962, 1962, 1962, 1962, 1969, 1969, 1969, 1969, 1969, 1969, 1969, 1969, 1969, 1969, 1969,
	1969, 1985, 1985, 1985, 1985, 1997, 1997, 1997, 2005, 2022, 2022, 2022, 2022, 2022, 2022, 2032, 2032, 2032, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038,
	2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038, 2038,
	2038, 2039, 2039, 2039, 2039, 2041, 2041, 2041, 2041, 2041, 2041, 2041, 2041, 2041, 2041, 2044, 2044, 2044, 2044, 2044, 2044, 2044, 2044, 2044, 2044, 2044,
	2044, 2044, 2044, 2044, 2044, 2046, 2046, 2046, 2046, 2046, 2046, 2046, 2046, 2046, 2046, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048,
	2048,
}
