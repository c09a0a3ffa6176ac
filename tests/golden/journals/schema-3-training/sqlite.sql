-- written by maxcode 0.1.0, commit 4d29793
-- trained: toy-1287e8e7
BEGIN TRANSACTION;
CREATE TABLE maxcode_answers (
	request VARCHAR(64) NOT NULL, 
	sample INTEGER NOT NULL, 
	run VARCHAR(64) NOT NULL, 
	seq INTEGER NOT NULL, 
	PRIMARY KEY (request, sample, run, seq), 
	FOREIGN KEY(run) REFERENCES maxcode_runs (id)
);
CREATE TABLE maxcode_events (
	run VARCHAR(64) NOT NULL, 
	seq INTEGER NOT NULL, 
	at DOUBLE NOT NULL, 
	body TEXT NOT NULL, 
	elapsed DOUBLE, 
	chain VARCHAR(64), 
	PRIMARY KEY (run, seq), 
	FOREIGN KEY(run) REFERENCES maxcode_runs (id)
);
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',0,1.7959902515070827007e+09,'{"kind":"run_started","task":"toy","task_digest":"49ba2944f1041f493a0cbad636fba35e5ee92e6ae73b6bbb692fca51180ebf94","statement":"Make the number larger.","language":"","baseline":"3321bff732414a3303558dc5600a78381a1e56bf334243e184bfe5a529be9132","options":{"seed":3,"gamma":1.0,"observe":{"trajectory":false,"critique":false,"best":false,"profile":false},"in_flight":1,"commit_order":"asked","threads":1,"propose":2,"run":1,"explore":0.1,"guard":false,"attempts":32,"retries":2,"patience":40,"cache":false,"fuzz":500,"minimise":0.15,"min_gain":0.01,"recipe":{},"trainer":null},"budget":{"evaluations":null,"tokens":null,"dollars":null,"seconds":null},"plugins":{"generator":"ScriptedGenerator","executor":"ScriptedExecutor","critic":"ScriptedCritic","policy":"Asking"},"version":"0.1.0"}',2.220600136999564711e+00,'e8415b3400e18577b44589f35e97d346c538918b434d11dd099ec7ddfc625abf');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',1,1.7959902515070827007e+09,'{"kind":"session_started","process":"golden:00000000-0000-0000-0000-000000000000:31114:1681177","budget":{"evaluations":null,"tokens":null,"dollars":null,"seconds":null},"prepared":0.010361502001615008,"unrecorded":0.0,"recipe":{}}',2.220600136999564711e+00,'6e8989d0092598a779d36e4de7c62bdbb836be0ef68943978e4aa30d759d0aa1');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',2,1.7959902515070827007e+09,'{"kind":"baseline_measured","baseline":{"measurements":[{"meter":"script","unit":"s","samples":[1.0]}],"note":"scripted: nothing was measured","seconds":0.0,"noise":null,"machine":"","floor":null,"gaps":[]}}',2.220600136999564711e+00,'df16df6413f18a8bc5e3c3e0eb6a62bc42e8e6f1ebc8fb1297b6b6a64ba0f154');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',3,1.79599025155000829694e+09,'{"kind":"asked","expansions":[{"parent":0,"children":1,"exemplars":[],"profile":false,"critique":true}]}',2.26352539700019406154e+00,'ad746d021abcab1932d4f0f4bcbe0b839b4c7e0239a4a9b0e9b96910db1ba6d3');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',4,1.79599025155107927323e+09,'{"kind":"granted","number":0,"run":1,"propose":1}',2.26459588000216172076e+00,'70bdf6e849606a5492eb42b1102c08d01e49973a1274bf1fba4c8d38388111d3');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',5,1.79599025155404162408e+09,'{"kind":"profiled","number":0,"step":0,"profile":null}',2.26755851000052643939e+00,'8a866cda22663aba305f636e323e658e83972c89b82967c38380b66d1cae7bb4');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',6,1.79599025155472660059e+09,'{"kind":"critiqued","number":0,"step":0,"critique":{"text":"a scripted diagnosis","bottleneck":"","evidence":"","suggestions":[],"cost":{"evaluations":0,"tokens":0,"dollars":0.0,"seconds":0.0,"unpriced":0}}}',2.26824346899957163259e+00,'a15fd9f38da7c1ad0de2adeb9872de73ff1c4e2082665cbb4a920eb14d4319a4');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',7,1.79599025156148719788e+09,'{"kind":"proposed","number":0,"proposals":[{"program":"d2f187e240e613d45e3f1e8608f61c1133967f1c925f924861e1a7e963ab1b3a","summary":"scripted","tags":[],"problem":"","prompt":"","answer":"","cost":{"evaluations":0,"tokens":0,"dollars":0.0,"seconds":0.0,"unpriced":0},"call":null}],"seconds":0.000266827002633363}',2.2750036710021959152e+00,'595255fb8d9ae99afc5c39497ff4f3a8ad84e5474ca7e7840811368c4f1319be');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',8,1.79599025156974244116e+09,'{"kind":"evaluated","number":0,"program":"d2f187e240e613d45e3f1e8608f61c1133967f1c925f924861e1a7e963ab1b3a","evaluation":{"status":"ok","speedup":{"value":2.0,"low":1.998,"high":2.002,"level":0.95},"feedback":"","details":"","measurements":[{"meter":"script","unit":"s","samples":[0.5]}],"reference":[{"meter":"script","unit":"s","samples":[1.0]}],"seconds":0.0,"against":"","place":"","by_test":[]},"lost":[],"lost_at":[],"notes":[]}',2.28325894800218520686e+00,'c9411d758db39c1e8ae64388cc0d2b045e3b2bf6b7b64169eacb5465776b6c87');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',9,1.79599025157986426351e+09,'{"kind":"committed","number":0}',2.29338185500091640278e+00,'3a9c683f76e3ea6ec71a4358008df1c8b9a08f8e69aa6a80cbaaa68658bf7ac3');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',10,1.79599025158048820494e+09,'{"kind":"trained","number":0,"checkpoint":"weights-1-1","reward":2.0,"rolled_back":false}',2.29400495200025034137e+00,'db926225bbe4736e5f5b2ed5b736e16cf80a11215941880f46a279c8d18154e0');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',11,1.79599025159580636019e+09,'{"kind":"compared","step":1,"against":0,"comparison":{"ratio":{"value":2.0,"low":1.998,"high":2.002,"level":0.95},"first":[{"meter":"script","unit":"s","samples":[0.5]}],"second":[{"meter":"script","unit":"s","samples":[1.0]}],"problem":"","seconds":0.0,"drawn":null,"place":"","by_test":[],"first_wrong":null,"second_wrong":null},"promoted":true,"provisional":false}',2.30932364299951586872e+00,'0e9114ffb9913b99880190defaaec094d76e2efc384644a267138d689950fb12');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',12,1.79599025159640288355e+09,'{"kind":"asked","expansions":[{"parent":0,"children":1,"exemplars":[],"profile":false,"critique":true}]}',2.30991989000176545232e+00,'b2ab907277dd20fd20511a5d105d3d3f3b37351ad5150333302287505e248d2e');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',13,1.79599025159692430491e+09,'{"kind":"granted","number":1,"run":1,"propose":1}',2.31044107600246206857e+00,'02f6df42a5453c7e877db907e0791c2db5d9a83b8220a9e4b886b01e96c20749');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',14,1.79599025160820984837e+09,'{"kind":"proposed","number":1,"proposals":[{"program":"a3e688c259e224646ad0b285ba5dda653505e7f1b61c9f702801d928839618ad","summary":"scripted","tags":[],"problem":"","prompt":"","answer":"","cost":{"evaluations":0,"tokens":0,"dollars":0.0,"seconds":0.0,"unpriced":0},"call":null}],"seconds":0.00032248999923467636}',2.32172661300137406215e+00,'dd09a8dcb1b359367fe27760a27ad2eea40d9eac8348c74ac6644845d3edd952');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',15,1.79599025162564206129e+09,'{"kind":"evaluated","number":1,"program":"a3e688c259e224646ad0b285ba5dda653505e7f1b61c9f702801d928839618ad","evaluation":{"status":"ok","speedup":{"value":3.0,"low":2.997,"high":3.0029999999999997,"level":0.95},"feedback":"","details":"","measurements":[{"meter":"script","unit":"s","samples":[0.3333333333333333]}],"reference":[{"meter":"script","unit":"s","samples":[1.0]}],"seconds":0.0,"against":"","place":"","by_test":[]},"lost":[],"lost_at":[],"notes":[]}',2.33915964100015116855e+00,'d2389f5af78a72b708db7793f721915b227f9c7582d179019cbaf4fe66cc1b61');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',16,1.79599025162745404241e+09,'{"kind":"committed","number":1}',2.34097096700134,'265b950dcf8059155d50f6c600e1b00d478f23b2ed8eb38adeaeb36cb92acc9a');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',17,1.79599025163111877443e+09,'{"kind":"trained","number":1,"checkpoint":"weights-1-2","reward":3.0,"rolled_back":false}',2.34463569099898450076e+00,'97aac5f79368352bc278eb0df7366f4bb690daa01e629e444903ffe09783d598');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',18,1.79599025167072415352e+09,'{"kind":"compared","step":2,"against":1,"comparison":{"ratio":{"value":1.5,"low":1.4985,"high":1.5014999999999998,"level":0.95},"first":[{"meter":"script","unit":"s","samples":[0.3333333333333333]}],"second":[{"meter":"script","unit":"s","samples":[0.5]}],"problem":"","seconds":0.0,"drawn":null,"place":"","by_test":[],"first_wrong":null,"second_wrong":null},"promoted":true,"provisional":false}',2.38424110000050859525e+00,'5716e8f918fc8c96ecc94a3e91e461354ce604d06736da83996397a67752bbd1');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',19,1.79599025167258977888e+09,'{"kind":"asked","expansions":[{"parent":0,"children":1,"exemplars":[],"profile":false,"critique":true}]}',2.38610658600009628571e+00,'e89509d1ef99ccfd03cd9a076b0fb54ba17f480ed4762d678841a10912ae4b09');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',20,1.79599025167992925643e+09,'{"kind":"granted","number":2,"run":1,"propose":1}',2.39344643100048415362e+00,'a96489d2599cfc69bbc001cb79d57074f10c83ccd1c61a7a4c900ffca9f2c097');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',21,1.79599025168402481075e+09,'{"kind":"proposed","number":2,"proposals":[{"program":"2319bb18985b775adf752eef57407ddac2f979ac1b1155e0ae42535cf9abb5f7","summary":"scripted","tags":[],"problem":"","prompt":"","answer":"","cost":{"evaluations":0,"tokens":0,"dollars":0.0,"seconds":0.0,"unpriced":0},"call":null}],"seconds":0.00018366299991612323}',2.39754144600010477006e+00,'be38fb45fbe8e8568104149b2bf02f839af5a1ed77fae3fad1041d2dedd1c6f8');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',22,1.79599025172016477577e+09,'{"kind":"evaluated","number":2,"program":"2319bb18985b775adf752eef57407ddac2f979ac1b1155e0ae42535cf9abb5f7","evaluation":{"status":"ok","speedup":{"value":0.5,"low":0.4995,"high":0.5005,"level":0.95},"feedback":"","details":"","measurements":[{"meter":"script","unit":"s","samples":[2.0]}],"reference":[{"meter":"script","unit":"s","samples":[1.0]}],"seconds":0.0,"against":"","place":"","by_test":[]},"lost":[],"lost_at":[],"notes":[]}',2.43368160699901636689e+00,'7be7aa49075fc595957079605b5a9fe01208098cab33be8404718b7f5b5dc01d');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',23,1.79599025173175072672e+09,'{"kind":"committed","number":2}',2.44526822199986781924e+00,'5adba2975ea50293fbedf4d6c4efb61538e77d17c4f89ae364f08247dd216ec6');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',24,1.79599025173275375364e+09,'{"kind":"trained","number":2,"checkpoint":"weights-1-1","reward":0.5,"rolled_back":true}',2.44627038399994489736e+00,'7e7e4d5f5926af2cceca5e4c66de76f8bc1636a7b8f8ee66251b390b2c4c63b2');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',25,1.79599025174224734302e+09,'{"kind":"compared","step":2,"against":0,"comparison":{"ratio":{"value":3.0,"low":2.997,"high":3.0029999999999997,"level":0.95},"first":[{"meter":"script","unit":"s","samples":[0.3333333333333333]}],"second":[{"meter":"script","unit":"s","samples":[1.0]}],"problem":"","seconds":0.0,"drawn":null,"place":"","by_test":[],"first_wrong":null,"second_wrong":null},"promoted":false,"provisional":false}',2.45576423500097,'53f519103687feac647d60cac2d36d529f0ffe184e13ee5398647ded3240ee7e');
INSERT INTO "maxcode_events" VALUES('toy-1287e8e7',26,1.79599025175035572048e+09,'{"reason":"the policy has nothing more to ask for","cause":null,"kind":"stopped","status":"done"}',2.46387330400102655403e+00,'20075c87ae2a9d3863360f3f05c5153afdf5de230828ccd4a76d23f87915312d');
CREATE TABLE maxcode_leases (
	name VARCHAR(64) NOT NULL, 
	holder VARCHAR(255) NOT NULL, 
	fence INTEGER NOT NULL, 
	beat INTEGER NOT NULL, 
	at DOUBLE NOT NULL, 
	elapsed DOUBLE, 
	seq INTEGER, 
	chain VARCHAR(64), 
	PRIMARY KEY (name)
);
INSERT INTO "maxcode_leases" VALUES('toy-1287e8e7','',1,0,1.79599025175537037844e+09,2.46853967000060947611e+00,26,'cf8f04ccd00088ea810f364b759a96b9a50fdab767ad275a17116c221888ae3e');
CREATE TABLE maxcode_meta (
	"key" VARCHAR(32) NOT NULL, 
	value VARCHAR(64) NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "maxcode_meta" VALUES('schema','3');
CREATE TABLE maxcode_programs (
	run VARCHAR(64) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	entry TEXT NOT NULL, 
	files TEXT NOT NULL, 
	PRIMARY KEY (run, digest), 
	FOREIGN KEY(run) REFERENCES maxcode_runs (id)
);
INSERT INTO "maxcode_programs" VALUES('toy-1287e8e7','3321bff732414a3303558dc5600a78381a1e56bf334243e184bfe5a529be9132','number.txt','{"number.txt":"1.0"}');
INSERT INTO "maxcode_programs" VALUES('toy-1287e8e7','d2f187e240e613d45e3f1e8608f61c1133967f1c925f924861e1a7e963ab1b3a','number.txt','{"number.txt":"2.0"}');
INSERT INTO "maxcode_programs" VALUES('toy-1287e8e7','a3e688c259e224646ad0b285ba5dda653505e7f1b61c9f702801d928839618ad','number.txt','{"number.txt":"3.0"}');
INSERT INTO "maxcode_programs" VALUES('toy-1287e8e7','2319bb18985b775adf752eef57407ddac2f979ac1b1155e0ae42535cf9abb5f7','number.txt','{"number.txt":"0.5"}');
CREATE TABLE maxcode_runs (
	id VARCHAR(64) NOT NULL, 
	created DOUBLE NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "maxcode_runs" VALUES('toy-1287e8e7',1.7959902515070827007e+09);
CREATE TABLE maxcode_texts (
	run VARCHAR(64) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	text TEXT NOT NULL, 
	PRIMARY KEY (run, digest), 
	FOREIGN KEY(run) REFERENCES maxcode_runs (id)
);
COMMIT;
